package chats

// ChoiceLabels exports choiceLabels.
var ChoiceLabels = choiceLabels

// Distinct exports distinct.
var Distinct = distinct

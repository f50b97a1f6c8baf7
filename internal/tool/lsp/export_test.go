package lsp

// LanguageID is languageID.
func LanguageID(path string) string { return languageID(path) }

/* Debian's Wine 8 lacks the one function of bcryptprimitives.dll that Go programs
   need at their start. This is test equipment and is never shipped. */
#include <windows.h>

BOOLEAN WINAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size) { return SystemFunction036(data, (ULONG)size); }

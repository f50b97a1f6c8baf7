// A program that runs until it is ended. The tests do not use ping for this: if ping
// is killed when an echo arrives, two threads of Wine 8's nsiproxy.sys each wait for
// a lock of the other, and every later request for a file's attributes hangs.
#include <windows.h>

int main(void) {
	Sleep(INFINITE);
	return 0;
}

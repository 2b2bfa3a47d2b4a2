/* The other user, who exchanges what names stand for as fast as he can until there is a file called "stop": "file"
 * comes and goes as a link to SAFE/kept, "folder" is a folder of his own or a link to SAFE.
 *
 *     exchange FOLDER SAFE */
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char kept[4096];
    time_t end = time(NULL) + 100;
    if (argc != 3 || chdir(argv[1]) || snprintf(kept, sizeof kept, "%s/kept", argv[2]) < 0) return 2;
    if (mkdir("folder", 0755) || symlink(argv[2], "link")) return 2;
    close(open("ready", O_WRONLY | O_CREAT, 0644));
    while (access("stop", F_OK) && time(NULL) < end)
        for (int i = 0; i < 100; i++) {
            if (!symlink(kept, "file")) unlink("file");
            renameat2(AT_FDCWD, "folder", AT_FDCWD, "link", RENAME_EXCHANGE);
        }
    return 0;
}

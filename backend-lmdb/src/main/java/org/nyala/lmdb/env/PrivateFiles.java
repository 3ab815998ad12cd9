package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Creates files and folders for their owner only, whatever the umask: files that contain passwords,
 * and lock files, which any user who may open them could hold. Stateless.
 */
public final class PrivateFiles {
  private static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("------rwx");

  private PrivateFiles() {}

  /**
   * Creates a folder and its parents if they are missing; existing ones stay unchanged.
   *
   * @throws IOException naming the path that is in the way, or where permission ends
   */
  public static void createFolders(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      requireNoFileAbove(folder);
      Files.createDirectories(folder, FOLDER);
    }
  }

  private static void requireNoFileAbove(Path folder) throws IOException {
    @Nullable Path each = folder.toAbsolutePath();
    while (each != null && !Files.isDirectory(each)) {
      if (Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
        String reason =
            Files.exists(each)
                ? "it is a file, and a folder is expected"
                : "it is a link to nothing, and a folder is expected";
        throw new FileSystemException(each.toString(), null, reason);
      }
      each = each.getParent();
    }
  }

  /** Returns a folder and those of its parents that do not exist, from the folder upwards. */
  public static List<Path> missing(Path folder) {
    List<Path> missing = new ArrayList<>();
    @Nullable Path each = folder;
    while (each != null && !Files.exists(each, LinkOption.NOFOLLOW_LINKS)) {
      missing.add(each);
      each = each.getParent();
    }
    return List.copyOf(missing);
  }

  /** Opens a file; a new one is accessible to its owner only. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), FILE);
  }

  /**
   * Removes the permissions of all other users from a file, if it exists and this process may
   * change it: the file may have been copied, or made by a program that did not restrict it. The
   * permissions of its group are the administrator's choice.
   */
  public static void closeToOthers(Path file) {
    try {
      if (Files.exists(file)) {
        Set<PosixFilePermission> allowed = EnumSet.copyOf(Files.getPosixFilePermissions(file));
        if (allowed.removeAll(OTHERS)) {
          Files.setPosixFilePermissions(file, allowed);
        }
      }
    } catch (IOException | UnsupportedOperationException | IllegalArgumentException e) {
      // The file belongs to another user, or the file system keeps no permissions; the check of the
      // folder reports that.
    }
  }
}

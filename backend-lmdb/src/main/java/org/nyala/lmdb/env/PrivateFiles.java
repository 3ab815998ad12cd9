package org.nyala.lmdb.env;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.EnumSet;
import java.util.Set;

/**
 * Files and folders for their owner only, whatever the umask: of passwords, and of locks, which
 * anybody can hold who may open a file. Stateless.
 */
public final class PrivateFiles {
  private static final FileAttribute<Set<PosixFilePermission>> FILE =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
  private static final FileAttribute<Set<PosixFilePermission>> FOLDER =
      PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));
  private static final Set<PosixFilePermission> OTHERS =
      PosixFilePermissions.fromString("------rwx");

  private PrivateFiles() {}

  /** Makes a folder, and those above it, where they are missing; what is there stays as it is. */
  public static void createFolders(Path folder) throws IOException {
    if (!Files.isDirectory(folder)) {
      Files.createDirectories(folder, FOLDER);
    }
  }

  /** Opens a file; one that is made is its owner's only. */
  public static FileChannel open(Path file, OpenOption... options) throws IOException {
    return FileChannel.open(file, Set.of(options), FILE);
  }

  /**
   * Takes away what everybody may do with a file, if it is there and this process may: made by a
   * program that did not mind, or copied. What its group may is the administrator's choice.
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
      // It belongs to somebody else, or permissions are not kept here: then that is to be told of
      // by whoever looks at the folder.
    }
  }
}

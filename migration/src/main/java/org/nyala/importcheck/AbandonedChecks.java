package org.nyala.importcheck;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.UserPrincipal;
import java.util.UUID;
import java.util.regex.Pattern;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.env.StoreLock;

/**
 * The folders of checks: what a killed one has left, as large as the data, is deleted by the next
 * one in the same place. A check that goes on holds the lock of its folder. Stateless.
 */
final class AbandonedChecks {
  private static final String PREFIX = "nyala-check-";
  private static final Pattern NAME =
      Pattern.compile(PREFIX + "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

  private AbandonedChecks() {}

  /** Returns the name of a folder for another check. */
  static String newName() {
    return PREFIX + UUID.randomUUID();
  }

  /**
   * Deletes what killed checks of the same user have left in a folder; what cannot be deleted
   * stays.
   */
  static void delete(Path place) {
    try (DirectoryStream<Path> found = Files.newDirectoryStream(place, PREFIX + "*")) {
      UserPrincipal user =
          place
              .getFileSystem()
              .getUserPrincipalLookupService()
              .lookupPrincipalByName(ProcessHandle.current().info().user().orElse(""));
      for (Path folder : found) {
        boolean isOne = NAME.matcher(folder.getFileName().toString()).matches();
        // Only its owner may replace such a folder by a link, even in one that all may write to.
        if (isOne && isOwn(folder, user) && Files.exists(folder.resolve(StoreLock.FILE_NAME))) {
          delete(place, folder, user);
        }
      }
    } catch (IOException | UnsupportedOperationException _) {
      // A folder that cannot be listed, or a user without a name, keeps them.
    }
  }

  private static boolean isOwn(Path folder, UserPrincipal user) throws IOException {
    return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
        && Files.getOwner(folder, LinkOption.NOFOLLOW_LINKS).equals(user);
  }

  private static void delete(Path place, Path folder, UserPrincipal user) {
    try (StoreLock lock = StoreLock.tryAcquire(folder)) {
      if (lock == null) {
        return;
      }
      String built = folder.getFileName() + ".importing-*";
      try (DirectoryStream<Path> found = Files.newDirectoryStream(place, built)) {
        for (Path each : found) {
          if (isOwn(each, user)) {
            deleteFolder(each);
          }
        }
      }
      deleteFolder(folder);
    } catch (IOException | StoreException _) {
      // The next check tries again.
    }
  }

  private static void deleteFolder(Path folder) throws IOException {
    try (DirectoryStream<Path> files = Files.newDirectoryStream(folder)) {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
    }
    Files.deleteIfExists(folder);
  }
}

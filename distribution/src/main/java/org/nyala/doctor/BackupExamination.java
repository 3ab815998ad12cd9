package org.nyala.doctor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.nyala.lmdb.admin.BackupManifest;
import org.nyala.lmdb.env.StoreException;
import org.nyala.management.bean.FindingsMXBean.Weight;
import org.nyala.server.DataGrowth;

/**
 * The examination of the backups in a folder: their age, and the growth of the data between them.
 *
 * <p>Confined to one thread.
 */
final class BackupExamination {
  private static final String AREA = "backups";
  private static final String BACKUP = "nyala backup DIR";

  /** The most folders among which backups are looked for. */
  private static final int MOST_FOLDERS = 10_000;

  private final Path folder;
  private final FindingList findings;

  /** The complete ones, the oldest first. */
  private final List<BackupManifest> complete = new ArrayList<>();

  /**
   * Looks for them.
   *
   * @param folder that of backups, or a backup
   * @throws IOException if it cannot be read
   */
  BackupExamination(Path folder, FindingList findings) throws IOException {
    this.folder = folder;
    this.findings = findings;
    List<Path> candidates = new ArrayList<>(List.of(folder));
    try (Stream<Path> inside = Files.list(folder)) {
      candidates.addAll(inside.limit(MOST_FOLDERS).toList());
    }
    for (Path each : candidates) {
      BackupManifest found = manifest(each);
      if (found != null) {
        complete.add(found);
      }
    }
    complete.sort(Comparator.comparing(BackupManifest::time));
  }

  private static @Nullable BackupManifest manifest(Path folder) {
    try {
      return Files.isRegularFile(folder.resolve(BackupManifest.FILE_NAME))
          ? BackupManifest.read(folder)
          : null;
    } catch (StoreException _) {
      // Not a backup that could be restored.
      return null;
    }
  }

  /**
   * Tells of the last one.
   *
   * @param mostDays the age from which it is too old
   */
  void tellAge(Instant now, int mostDays) {
    if (complete.isEmpty()) {
      findings.add(Weight.WARNING, AREA, "there is no complete backup in " + folder, BACKUP);
      return;
    }
    Instant time = complete.getLast().time();
    long days = Duration.between(time, now).toDays();
    boolean isOld = days >= mostDays;
    findings.add(
        isOld ? Weight.WARNING : Weight.OK,
        AREA,
        String.format(
            Locale.ROOT, "the last backup in %s is of %s, %d days ago", folder, time, days),
        isOld ? BACKUP : "");
  }

  /**
   * Tells how long the free space lasts if the data grow as they did between the first backup and
   * the last one. Backups have no free pages, so that they are compared with one another alone, and
   * with those of the same naming contexts in the same format.
   *
   * @param diskFreeBytes the free space; -1 if it is not known
   */
  void tellGrowth(long diskFreeBytes) {
    if (complete.isEmpty()) {
      return;
    }
    BackupManifest last = complete.getLast();
    BackupManifest first =
        complete.stream().filter(each -> isOfTheSame(each, last)).findFirst().orElse(last);
    DataGrowth growth =
        new DataGrowth(
            last.bytes() - first.bytes(),
            Duration.between(first.time(), last.time()),
            diskFreeBytes);
    growth
        .finding("backups have grown", "from " + first.time() + " to " + last.time())
        .ifPresent(found -> findings.addAll(List.of(found)));
  }

  private static boolean isOfTheSame(BackupManifest one, BackupManifest other) {
    return one.format().equals(other.format())
        && one.namingContexts().equals(other.namingContexts());
  }
}

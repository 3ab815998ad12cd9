package org.nyala.lmdb.admin;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.lmdbjava.Txn;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.schema.Schema;
import org.nyala.lmdb.admin.StoreBackup.FileDigest;
import org.nyala.lmdb.env.FileFailures;
import org.nyala.lmdb.env.KeptData;
import org.nyala.lmdb.env.LmdbEnvironment;
import org.nyala.lmdb.env.LmdbSettings;
import org.nyala.lmdb.env.StagedDirectory;
import org.nyala.lmdb.env.StoreException;
import org.nyala.lmdb.format.StoreMeta;

/**
 * Replaces the data of a data directory by that of a backup: it is copied beside the old data,
 * verified, and renamed over it, which is one step. At every moment the data directory holds the
 * old data or the new.
 *
 * <p>Confined to one running operation.
 */
public final class StoreRestore {

  private final Path backup;
  private final StagedDirectory directory;
  private final KeptData keeping;

  /**
   * The result of a restore.
   *
   * @param problems the faults of the backup, one line each; empty if it was restored
   * @param manifest the manifest of the backup
   * @param kept the folder with the old data; empty if there was none or it was not to be kept
   */
  public record Result(List<String> problems, BackupManifest manifest, Optional<Path> kept) {
    public Result {
      problems = List.copyOf(problems);
    }

    /** Returns whether the data is in place. */
    public boolean isRestored() {
      return problems.isEmpty();
    }
  }

  /**
   * The treatment of the data that is there already.
   *
   * @param discards true if it is discarded; otherwise it is kept in a folder beside the data
   *     directory
   * @param time the time in the name of that folder
   */
  public record OldData(boolean discards, Instant time) {}

  private StoreRestore(Path backup, StagedDirectory directory) {
    this.backup = backup;
    this.directory = directory;
    this.keeping = new KeptData(directory, "restore");
  }

  /**
   * Restores a data directory.
   *
   * @param schema the schema of the files; the backup contains the definitions that were added to
   *     it over LDAP
   * @param maximumProblems the number of problems to report at most
   * @throws StoreException if the directory is in use, there is no complete backup, or something
   *     cannot be written; the old data is still there then, as it is if there are problems
   */
  public static Result restore(
      Path backup,
      Path data,
      Schema schema,
      OldData old,
      int maximumProblems,
      CopyProgress progress) {
    BackupManifest manifest = BackupManifest.read(backup);
    boolean mayReplace = true;
    try (StagedDirectory directory = StagedDirectory.prepare(data, mayReplace)) {
      StoreRestore restore = new StoreRestore(backup, directory);
      restore.keeping.settleInterrupted();
      List<String> problems = restore.build(manifest, schema, old, maximumProblems, progress);
      Optional<Path> kept =
          problems.isEmpty() ? restore.keeping.swap(old.discards(), old.time()) : Optional.empty();
      return new Result(problems, manifest, kept);
    } catch (IOException e) {
      throw new StoreException("cannot restore " + data + ": " + FileFailures.reason(e), e);
    }
  }

  private List<String> build(
      BackupManifest manifest,
      Schema schema,
      OldData old,
      int maximumProblems,
      CopyProgress progress)
      throws IOException {
    Path source = backup.resolve(LmdbEnvironment.DATA_FILE);
    if (!Files.isRegularFile(source) || Files.size(source) != manifest.bytes()) {
      return List.of(
          source + " is missing or not of the " + manifest.bytes() + " bytes that it should have");
    }
    Path built = directory.building().resolve(LmdbEnvironment.DATA_FILE);
    String digest = FileDigest.copy(source, built, progress);
    if (!digest.equals(manifest.sha256())) {
      return List.of(source + " has changed since it was written: its SHA-256 is " + digest);
    }
    Files.setPosixFilePermissions(built, PosixFilePermissions.fromString("rw-------"));
    progress.update(CopyProgress.Phase.CHECKING, 0, manifest.bytes());
    double bytesPerEntry = manifest.bytes() / (double) Math.max(1, manifest.entries());
    StoreVerifier.Report report =
        StoreVerifier.verify(
            directory.building(),
            schema,
            maximumProblems,
            (checked, _) ->
                progress.update(
                    CopyProgress.Phase.CHECKING,
                    (long) (checked * bytesPerEntry),
                    manifest.bytes()));
    if (report.isSound() && report.entries() != manifest.entries()) {
      return List.of(
          source + " has " + report.entries() + " entries instead of " + manifest.entries());
    }
    if (report.isSound()) {
      renewHistories(old.time());
    }
    return report.problems();
  }

  /**
   * Gives the data another history: changes after the backup are lost, and copies may have them.
   * Data of a member of a cluster keep theirs: nothing changes them but the log, which goes on
   * after its mark, or else a cluster that is founded on them.
   */
  private void renewHistories(Instant now) {
    LmdbSettings settings =
        LmdbSettings.DEFAULT.with(draft -> draft.durability = LmdbSettings.Durability.NONE);
    try (LmdbEnvironment environment = LmdbEnvironment.open(directory.building(), settings)) {
      try (Txn<ByteBuffer> txn = environment.beginWrite()) {
        if (StoreMeta.Note.LOG.read(environment, txn, 0) != null) {
          return;
        }
        List<String> suffixes = StoreMeta.suffixes(environment, txn);
        for (int i = 0; i < suffixes.size(); i++) {
          CsnVector present = StoreMeta.contextCsns(environment, txn, i);
          ContextHistory before = StoreMeta.Note.HISTORY.read(environment, txn, i);
          ContextHistory renewed = ContextHistory.restored(before, present, now);
          StoreMeta.Note.HISTORY.put(environment, txn, i, renewed);
        }
        txn.commit();
      }
      environment.sync();
    }
  }
}

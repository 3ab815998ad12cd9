package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.schema.Schema;
import org.nyala.core.schema.load.ExtendedSchema;
import org.nyala.core.schema.load.SchemaLoader;
import org.nyala.lmdb.admin.Verification;
import org.nyala.lmdb.ldif.ImportProgress;
import org.nyala.lmdb.ldif.ImportSource;
import org.nyala.lmdb.ldif.LdifImport;

/**
 * Kills imports in processes of their own, at every kind of moment.
 *
 * <p>{@code -Dnyala.kills=N} kills more often.
 */
@Timeout(300)
class ImportKillTest {
  private static final int KILLS = Integer.getInteger("nyala.kills", 3);

  @TempDir Path directory;

  @Test
  void shouldLeaveTheOldDataOrTheNewOnesWhenKilledAtAnyMoment() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    Path data = directory.resolve("data");
    Path oldLdif = directory.resolve("old.ldif");
    Path newLdif = directory.resolve("new.ldif");
    Files.writeString(oldLdif, ImportTestCase.randomDirectory(random, 100));
    Files.writeString(newLdif, ImportTestCase.randomDirectory(random, 3000));
    load(oldLdif, data);
    String old = Exported.names(data);
    List<String> moments = run(newLdif, data, Integer.MAX_VALUE);
    assertThat(moments).endsWith("SYNCING", "DONE");
    String replaced = Exported.names(data);
    for (int kill = 0; kill < KILLS; kill++) {
      load(oldLdif, data);
      // The last moments, around the swap, every time; the others at random.
      int moment = kill < 3 ? moments.size() - kill : 1 + random.nextInt(moments.size());
      List<String> reached = run(newLdif, data, moment);
      String left = Exported.names(data);
      String context = "seed " + seed + " killed after " + reached;
      assertThat(Verification.verify(data, schema(), 10).problems()).as(context).isEmpty();
      if (reached.contains("DONE")) {
        assertThat(left).as(context).isEqualTo(replaced);
      } else {
        assertThat(left).as(context).isIn(old, replaced);
      }
    }
    load(oldLdif, data);
    assertThat(Exported.names(data)).isEqualTo(old);
    try (Stream<Path> files = Files.list(directory)) {
      // Data that was replaced is kept, in any number of folders.
      assertThat(
              files
                  .map(file -> file.getFileName().toString())
                  .filter(name -> !name.startsWith("data.before-import-")))
          .containsExactlyInAnyOrder("data", "old.ldif", "new.ldif");
    }
  }

  private static Schema schema() {
    return SchemaLoader.standard();
  }

  /** Imports in another process and kills it once it has reported this many moments. */
  private static List<String> run(Path ldif, Path data, int moments) throws Exception {
    Process process = OtherProcess.start(ImportKillTest.class, ldif.toString(), data.toString());
    List<String> reached = new ArrayList<>();
    try (BufferedReader output = process.inputReader()) {
      String line = output.readLine();
      while (line != null) {
        reached.add(line);
        if (reached.size() >= moments) {
          // Not Process.destroyForcibly, which would close the output that is still to be read.
          process.toHandle().destroyForcibly();
        }
        line = output.readLine();
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
    return reached;
  }

  private static void load(Path ldif, Path data) {
    new LdifImport(
            ExtendedSchema.of(schema()),
            ImportTestCase.settings().with(draft -> draft.replace = true),
            ImportProgress.SILENT,
            InstantSource.system(),
            System::nanoTime)
        .run(List.of(ImportSource.file(ldif)), data);
  }

  /** The process that is killed: prints every moment that an import reports, one a line. */
  public static void main(String[] arguments) {
    AtomicLong nanos = new AtomicLong();
    new LdifImport(
            ExtendedSchema.of(schema()),
            ImportTestCase.settings()
                .with(draft -> draft.replace = true)
                .with(draft -> draft.memoryBytes = 1 << 18),
            status -> {
              System.out.println(status.phase());
              System.out.flush();
            },
            InstantSource.system(),
            () -> nanos.addAndGet(1_000_000_000L))
        .run(List.of(ImportSource.file(Path.of(arguments[0]))), Path.of(arguments[1]));
  }
}

package org.nyala.lmdb;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.backend.AttributeChange;
import org.nyala.core.backend.ReadTransaction;
import org.nyala.core.backend.ResolvedChange;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.entry.AttributeDescription;
import org.nyala.core.entry.Entry;
import org.nyala.core.entry.EntryView;
import org.nyala.core.entry.ValueCursor;
import org.nyala.lmdb.admin.Verification;

/**
 * Kills a process that changes a store, again and again.
 *
 * <p>{@code -Dnyala.kills=N} kills more often.
 */
@Timeout(600)
public class WriteKillTest {
  private static final int KILLS = Integer.getInteger("nyala.kills", 4);

  @TempDir Path directory;

  @Test
  void shouldHoldEveryChangeThatWasReported() throws Exception {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    TestStore.create(directory);
    long last = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      String context = "seed " + seed + " kill " + kill;
      long reported = run(1 + random.nextInt(200));
      assertThat(reported).as(context).isGreaterThan(last);
      assertThat(Verification.verify(directory, TestStore.SCHEMA, 10).problems())
          .as(context)
          .isEmpty();
      try (LmdbBackend backend = LmdbBackend.open(directory, TestStore.SCHEMA, TestStore.SETTINGS);
          ReadTransaction read = backend.beginRead()) {
        last = counter(read);
        // One more may have been committed and not been reported.
        assertThat(last).as(context).isBetween(reported, reported + 1);
        assertThat(read.subordinateCount(1)).as(context).isEqualTo(last);
        for (long number = 1; number <= last; number++) {
          assertThat(read.find(name(number))).as(context).isPositive();
        }
        assertThat(read.find(name(last + 1))).as(context).isZero();
      }
    }
  }

  private static Dn name(long number) {
    return TestStore.dn("cn=" + number + "," + TestStore.SUFFIX);
  }

  public static long counter(ReadTransaction read) {
    EntryView view = new EntryView();
    if (!read.read(1, view)) {
      return 0;
    }
    ValueCursor values = new ValueCursor();
    values.open(view, 0);
    assertThat(values.next()).isTrue();
    return Long.parseLong(new String(values.value(), java.nio.charset.StandardCharsets.UTF_8));
  }

  /**
   * Starts another process that changes the store, kills it, and returns the last number it
   * reported.
   */
  private long run(int numbers) throws Exception {
    Process process = OtherProcess.start(WriteKillTest.class, directory.toString());
    long reported = 0;
    try (BufferedReader output = process.inputReader()) {
      int count = 0;
      for (String line = output.readLine(); line != null; line = output.readLine()) {
        reported = Long.parseLong(line);
        if (++count == numbers) {
          // Not Process.destroyForcibly, which would close the output that is still to be read.
          process.toHandle().destroyForcibly();
        }
      }
    } finally {
      process.destroyForcibly();
      process.waitFor();
    }
    return reported;
  }

  /** The process that is killed: changes the store for ever, and reports what was committed. */
  public static void main(String[] arguments) {
    try (LmdbBackend backend =
        LmdbBackend.open(Path.of(arguments[0]), TestStore.SCHEMA, TestStore.SETTINGS)) {
      long number;
      try (ReadTransaction read = backend.beginRead()) {
        number = counter(read);
      }
      Random random = new Random(number);
      while (true) {
        number++;
        try (WriteTransaction write = backend.beginWrite()) {
          change(write, number, random);
          write.commit();
        }
        System.out.println(number);
        System.out.flush();
      }
    }
  }

  private static void change(WriteTransaction write, long number, Random random) {
    Dn suffix = TestStore.dn(TestStore.SUFFIX);
    AttributeDescription title = AttributeDescription.parse(TestStore.SCHEMA, "title");
    if (write.find(suffix) == ReadTransaction.NO_ENTRY) {
      Entry top = new Entry(suffix);
      TestStore.add(top, "title", "0");
      write.apply(new ResolvedChange.Add(top));
    }
    Entry entry = new Entry(name(number));
    TestStore.add(entry, "cn", number + " " + TestStore.word(random));
    TestStore.add(entry, "sn", TestStore.word(random));
    write.apply(new ResolvedChange.Add(entry));
    byte[] counter = Long.toString(number).getBytes(java.nio.charset.StandardCharsets.UTF_8);
    AttributeChange change = new AttributeChange.Replaced(title, List.of(counter));
    write.apply(new ResolvedChange.Modify(suffix, write.find(suffix), List.of(change)));
    if (number > 2) {
      Dn old = name(1 + random.nextInt((int) number - 1));
      long id = write.find(old);
      Dn away = TestStore.dn("cn=away," + TestStore.SUFFIX);
      write.apply(new ResolvedChange.Rename(old, id, away, List.of()));
      write.apply(new ResolvedChange.Rename(away, id, old, List.of()));
    }
  }
}

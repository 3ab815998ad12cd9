package org.nyala.lmdb.posting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;
import org.nyala.core.bytes.ByteAppender;
import org.nyala.lmdb.format.ImportNameTable;
import org.nyala.lmdb.ldif.ImportBatch;
import org.nyala.lmdb.ldif.ImportMerge;
import org.nyala.lmdb.ldif.ImportSpill;

class ImportSortTest {
  private final long seed = Seeds.seed();
  private final Random random = new Random(seed);
  private final ImportBatch hashing = new ImportBatch(64, random.nextInt());

  @Test
  void shouldGatherAndSortLikeATreeMap() throws IOException {
    for (int round = 0; round < 40; round++) {
      List<byte[]> keys = keys(1 + random.nextInt(3000));
      TreeMap<byte[], TreeSet<Integer>> oracle = new TreeMap<>(Arrays::compareUnsigned);
      PostingBuilder postings = new PostingBuilder();
      postings.start(7);
      int entries = 1 + random.nextInt(5000);
      for (int id = 0; id < entries; id++) {
        for (int i = random.nextInt(8); i >= 0; i--) {
          byte[] key = keys.get((int) (keys.size() * Math.pow(random.nextDouble(), 4)));
          postings.add(hashing.hash(key, key.length), key, 0, key.length, id);
          oracle.computeIfAbsent(key, _ -> new TreeSet<>()).add(id);
        }
      }
      assertThat(postings.size()).as("seed %d", seed).isEqualTo(oracle.size());
      assertThat(rows(postings.sorted())).as("seed %d", seed).isEqualTo(expected(oracle, 7));
    }
  }

  @Test
  void shouldMergeRunsIntoWhatOneRunWouldBe(@TempDir Path directory) throws IOException {
    for (int round = 0; round < 10; round++) {
      List<byte[]> keys = keys(500);
      TreeMap<byte[], TreeSet<Integer>> oracle = new TreeMap<>(Arrays::compareUnsigned);
      PostingBuilder postings = new PostingBuilder();
      postings.start(0);
      // The fewest runs of a level make the most levels: some twenty runs are merged four times.
      int mostRuns = round == 0 ? ImportSpill.MOST_RUNS : 1 + round;
      try (ImportSpill spill = new ImportSpill(directory.resolve("spill" + round), mostRuns)) {
        for (int id = 0; id < 20_000; id++) {
          byte[] key = keys.get((int) (keys.size() * Math.pow(random.nextDouble(), 6)));
          postings.add(hashing.hash(key, key.length), key, 0, key.length, id);
          oracle.computeIfAbsent(key, _ -> new TreeSet<>()).add(id);
          if (random.nextInt(1000) == 0) {
            spill.write(postings.sorted());
            postings.start(0);
          }
        }
        List<SortedRun> runs = spill.runs(1 << 18);
        runs.add(postings.sorted());
        try (RunAhead ahead = new RunAhead(() -> new ImportMerge(runs))) {
          assertThat(rows(ahead)).as("seed %d", seed).isEqualTo(expected(oracle, 0));
        }
      }
      assertThat(directory).isEmptyDirectory();
    }
  }

  @Test
  void shouldPassOnAFailureBehindTheRowsBeforeIt() throws IOException {
    try (RunAhead ahead = new RunAhead(() -> new Numbers(100_000))) {
      for (int i = 0; i < 100_000; i++) {
        assertThat(ahead.next()).isTrue();
        assertThat(ahead.value().contentEquals(ahead.key().array(), 0, 4)).isTrue();
      }
      assertThatThrownBy(ahead::next).isInstanceOf(IOException.class).hasMessage("no more");
      assertThatThrownBy(ahead::next).isInstanceOf(IOException.class);
    }
    try (RunAhead closedEarly = new RunAhead(() -> new Numbers(Integer.MAX_VALUE))) {
      assertThat(closedEarly.next()).isTrue();
    }
  }

  /** So many rows and then a failure. */
  private static final class Numbers implements SortedRun {
    private final ByteAppender number = new ByteAppender(4);
    private final int count;
    private int at;

    Numbers(int count) {
      this.count = count;
    }

    @Override
    public boolean next() throws IOException {
      if (at == count) {
        throw new IOException("no more");
      }
      number.clear().appendInt(at++);
      return true;
    }

    @Override
    public ByteAppender key() {
      return number;
    }

    @Override
    public ByteAppender value() {
      return number;
    }
  }

  @Test
  void shouldFindEveryNameAgain(@TempDir Path directory) throws IOException {
    try (ImportNameTable table = new ImportNameTable(directory.resolve("names"))) {
      long[] names = random.longs(400_000).toArray();
      for (int i = 0; i < names.length; i += 2) {
        assertThat(table.add(names[i], names[i + 1], i + 1)).isTrue();
      }
      for (int i = 0; i < names.length; i += 2) {
        assertThat(table.find(names[i], names[i + 1])).as("seed %d", seed).isEqualTo(i + 1);
        assertThat(table.add(names[i], names[i + 1], 1)).isFalse();
        assertThat(table.find(names[i] ^ 1, names[i + 1])).isZero();
      }
    }
  }

  /** Different keys with much in common. */
  private List<byte[]> keys(int count) {
    TreeSet<byte[]> keys = new TreeSet<>(Arrays::compareUnsigned);
    for (int i = 0; i < count; i++) {
      byte[] key = new byte[random.nextInt(24)];
      for (int j = 0; j < key.length; j++) {
        key[j] = (byte) (random.nextInt(8) == 0 ? random.nextInt(256) : random.nextInt(2) * 255);
      }
      keys.add(key);
    }
    return new ArrayList<>(keys);
  }

  private static List<String> expected(Map<byte[], ? extends Set<Integer>> oracle, int block) {
    List<String> rows = new ArrayList<>();
    oracle.forEach(
        (key, ids) -> {
          byte[] whole = Arrays.copyOf(key, key.length + 4);
          whole[key.length + 3] = (byte) block;
          rows.add(HexFormat.of().formatHex(whole) + " " + ids);
        });
    return rows;
  }

  private static List<String> rows(SortedRun run) throws IOException {
    List<String> rows = new ArrayList<>();
    BlockSet set = new BlockSet();
    while (run.next()) {
      set.clear();
      set.or(ByteBuffer.wrap(run.value().toByteArray()));
      TreeSet<Integer> ids = new TreeSet<>();
      for (int id = 0; id < 1 << 16; id++) {
        if (set.cardinality() == ids.size()) {
          break;
        }
        if (set.contains(id)) {
          ids.add(id);
        }
      }
      rows.add(HexFormat.of().formatHex(run.key().toByteArray()) + " " + ids);
    }
    return rows;
  }
}

package org.nyala.core.quality;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Random;
import java.util.TreeSet;
import java.util.function.LongUnaryOperator;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;

class BreachedPasswordsTest {
  @TempDir Path folder;

  private Path list(Collection<Long> prefixes) throws IOException {
    Path file = folder.resolve("list");
    try (BreachedListBuilder builder = BreachedListBuilder.open(file)) {
      for (long prefix : prefixes) {
        builder.add(prefix);
      }
      builder.finish();
    }
    return file;
  }

  /** Compares a list of random prefixes with the set of them. */
  private void shouldFindThose(Random random, int number, LongUnaryOperator shape, String label)
      throws IOException {
    TreeSet<Long> oracle = new TreeSet<>(Long::compareUnsigned);
    for (int i = 0; i < number; i++) {
      oracle.add(shape.applyAsLong(random.nextLong()));
    }
    if (number > 3) {
      oracle.addAll(List.of(0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE));
    }
    try (BreachedPasswords list = BreachedPasswords.open(list(oracle))) {
      assertThat(list.count()).as(label).isEqualTo(oracle.size());
      for (long each : oracle) {
        for (long prefix : new long[] {each - 1, each, each + 1}) {
          assertThat(list.contains(prefix))
              .as("%s: %016x", label, prefix)
              .isEqualTo(oracle.contains(prefix));
        }
      }
      for (int i = 0; i < 1000; i++) {
        long prefix = shape.applyAsLong(random.nextLong());
        assertThat(list.contains(prefix))
            .as("%s: %016x", label, prefix)
            .isEqualTo(oracle.contains(prefix));
      }
      for (long prefix : new long[] {0, 1, -1, -2, Long.MIN_VALUE, Long.MAX_VALUE}) {
        assertThat(list.contains(prefix)).as(label).isEqualTo(oracle.contains(prefix));
      }
    }
  }

  @Test
  void shouldFindWhatASetFinds() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int number : new int[] {0, 1, 2, 3, 17, 1000, 20_000}) {
      String label = "-Dtest.seed=" + seed + ", " + number + " prefixes, ";
      shouldFindThose(random, number, prefix -> prefix, label + "even");
      shouldFindThose(random, number, prefix -> prefix >>> 44, label + "at the low end");
      shouldFindThose(random, number, prefix -> prefix | -1L << 20, label + "at the high end");
      shouldFindThose(
          random,
          number,
          prefix -> prefix & 0xC000_0000_0000_0FFFL | 0x1234_5000L,
          label + "in clusters");
      shouldFindThose(random, number, prefix -> 1L << (prefix & 63), label + "by powers of two");
    }
  }

  @Test
  void shouldFindPasswords() throws IOException {
    // SHA-1 of "password": 5baa61e4c9b93f3f0682250b6cf8331b7ee68fd8.
    try (BreachedPasswords list = BreachedPasswords.open(list(List.of(0x5baa61e4c9b93f3fL)))) {
      assertThat(list.contains("password".getBytes(UTF_8))).isTrue();
      assertThat(list.contains("Password".getBytes(UTF_8))).isFalse();
      assertThat(list.contains(new byte[0])).isFalse();
    }
  }

  @Test
  void shouldRefuseDamagedFiles() throws IOException {
    byte[] sound = Files.readAllBytes(list(List.of(1L, 2L, 3L)));
    for (int size = 0; size < sound.length; size++) {
      shouldNotOpen(Arrays.copyOf(sound, size));
    }
    shouldNotOpen(Arrays.copyOf(sound, sound.length + 1));
    shouldNotOpen(Arrays.copyOf(sound, sound.length + 8));
    for (int bit = 0; bit < 8 * PrefixHeader.BYTES; bit++) {
      byte[] damaged = sound.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      shouldNotOpen(damaged);
    }
    Path file = folder.resolve("damaged");
    for (int bit = 8 * PrefixHeader.BYTES; bit < 8 * sound.length; bit++) {
      byte[] damaged = sound.clone();
      damaged[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(file, damaged);
      assertThatThrownBy(() -> BreachedPasswords.verify(file))
          .isInstanceOf(DamagedListException.class)
          .hasMessageContaining("is damaged");
    }
  }

  private void shouldNotOpen(byte[] content) throws IOException {
    Path file = Files.write(folder.resolve("damaged"), content);
    assertThatThrownBy(() -> BreachedPasswords.open(file))
        .isInstanceOf(DamagedListException.class)
        .hasMessageStartingWith(file.toString());
    assertThatThrownBy(() -> BreachedPasswords.verify(file))
        .isInstanceOf(DamagedListException.class);
  }

  @Test
  void shouldFindPrefixesInAWrongOrder() throws IOException {
    // With the right checksum, as a wrong program would write them.
    ByteBuffer prefixes = ByteBuffer.allocate(24).putLong(1).putLong(3).putLong(3).flip();
    CRC32C sum = new CRC32C();
    sum.update(prefixes.duplicate());
    Path file = folder.resolve("disorder");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      channel.write(new PrefixHeader(3, (int) sum.getValue()).encode());
      channel.write(prefixes);
    }
    assertThatThrownBy(() -> BreachedPasswords.verify(file))
        .isInstanceOf(DamagedListException.class)
        .hasMessageContaining("not in order");
  }

  @Test
  void shouldSayThatThereIsNoFile() {
    assertThatThrownBy(() -> BreachedPasswords.open(folder.resolve("none")))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void shouldSurviveAFileThatIsCutOff() throws IOException {
    TreeSet<Long> prefixes = new TreeSet<>(Long::compareUnsigned);
    for (long i = 0; i < 10_000; i++) {
      prefixes.add(i);
    }
    Path file = list(prefixes);
    try (BreachedPasswords list = BreachedPasswords.open(file)) {
      try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
        channel.truncate(0);
      }
      assertThatThrownBy(() -> list.contains("x".getBytes(UTF_8)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("truncated");
    }
  }

  @Test
  void shouldRefuseLookUpsAfterItsEnd() throws IOException {
    BreachedPasswords list = BreachedPasswords.open(list(List.of(1L, 2L)));
    list.close();
    list.close();
    assertThatThrownBy(() -> list.contains("x".getBytes(UTF_8)))
        .isInstanceOf(IllegalStateException.class);
  }
}

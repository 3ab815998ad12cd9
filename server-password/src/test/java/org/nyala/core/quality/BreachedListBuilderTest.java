package org.nyala.core.quality;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.Seeds;

class BreachedListBuilderTest {
  @TempDir Path folder;

  private Path build(List<Long> prefixes, int runPrefixes) throws IOException {
    Path file = folder.resolve("list");
    try (BreachedListBuilder builder = BreachedListBuilder.open(file, runPrefixes)) {
      for (long prefix : prefixes) {
        builder.add(prefix);
      }
      assertThat(builder.finish()).isEqualTo(prefixes.stream().distinct().count());
    }
    assertThat(names()).containsExactly("list");
    return file;
  }

  private List<String> names() throws IOException {
    try (Stream<Path> files = Files.list(folder)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  private static List<Long> content(Path file) throws IOException {
    BreachedPasswords.verify(file);
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(file)).position(PrefixHeader.BYTES);
    List<Long> prefixes = new ArrayList<>();
    while (bytes.hasRemaining()) {
      prefixes.add(bytes.getLong());
    }
    return prefixes;
  }

  private static Set<Long> sorted(List<Long> prefixes) {
    Set<Long> sorted = new TreeSet<>(Long::compareUnsigned);
    sorted.addAll(prefixes);
    return sorted;
  }

  @Test
  void shouldSortInRuns() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    for (int number : new int[] {0, 1, 2, 3, 10, 99, 100, 101, 5000, 70_000}) {
      List<Long> prefixes = new ArrayList<>();
      for (int i = 0; i < number; i++) {
        boolean isRepeated = i > 0 && random.nextInt(4) == 0;
        prefixes.add(isRepeated ? prefixes.get(random.nextInt(i)) : random.nextLong());
      }
      for (int runPrefixes : new int[] {Math.max(2, number / 50), number + 1, 1 << 20}) {
        assertThat(content(build(prefixes, runPrefixes)))
            .as("-Dtest.seed=%d, %d in runs of %d", seed, number, runPrefixes)
            .containsExactlyElementsOf(sorted(prefixes));
      }
    }
  }

  @Test
  void shouldTakeWhatIsInOrderAtFirst() throws IOException {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    List<Long> prefixes = new ArrayList<>();
    for (int i = 0; i < 50_000; i++) {
      prefixes.add(random.nextLong());
    }
    List<Long> ordered = new ArrayList<>(sorted(prefixes));
    assertThat(content(build(ordered, 10))).as("in order").containsExactlyElementsOf(ordered);
    List<Long> twice = new ArrayList<>(ordered);
    twice.addAll(ordered);
    assertThat(content(build(twice, 20_000))).as("twice").containsExactlyElementsOf(ordered);
    Collections.reverse(twice);
    assertThat(content(build(twice, 20_000))).as("reversed").containsExactlyElementsOf(ordered);
  }

  @Test
  void shouldLeaveTheFileUntilTheNewOneIsComplete() throws IOException {
    Path file = build(List.of(1L), 10);
    byte[] before = Files.readAllBytes(file);
    try (BreachedListBuilder builder = BreachedListBuilder.open(file, 2)) {
      for (long prefix : new long[] {5, 4, 3, 2, 1, 0}) {
        builder.add(prefix);
      }
      assertThat(names()).hasSize(2).noneMatch(name -> name.endsWith(".run"));
    }
    assertThat(names()).containsExactly("list");
    assertThat(Files.readAllBytes(file)).isEqualTo(before);
    Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("list"));
    try (BreachedListBuilder builder = BreachedListBuilder.open(link)) {
      builder.add(7);
      builder.finish();
    }
    assertThat(link).isSymbolicLink();
    assertThat(content(file)).containsExactly(7L);
  }

  @Test
  void shouldRefuseWhatIsNoFile() {
    assertThatThrownBy(() -> BreachedListBuilder.open(folder))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("cannot be written as a file");
  }
}

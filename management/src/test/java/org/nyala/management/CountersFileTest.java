package org.nyala.management;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nyala.core.message.OperationType;

class CountersFileTest {
  @TempDir Path folder;

  private Path path() {
    return folder.resolve("counters");
  }

  private static Map<Counter, Long> all(long value) {
    Map<Counter, Long> numbers = new EnumMap<>(Counter.class);
    for (Counter counter : Counter.values()) {
      numbers.put(counter, value);
    }
    return numbers;
  }

  @Test
  void shouldReadWhatWasWritten() throws Exception {
    try (CountersFile file = CountersFile.create(path(), "nyala 1.2.3")) {
      Counters empty = Counters.read(path()).orElseThrow();
      assertThat(empty.program()).isEqualTo("nyala 1.2.3");
      assertThat(empty.strategy()).isEmpty();
      assertThat(empty.alarms()).isEmpty();
      assertThat(empty.numbers()).isEqualTo(all(0)).hasSize(Counter.values().length);

      Map<String, Long> numbers = new LinkedHashMap<>();
      for (int i = 0; i <= CountersFile.MAXIMUM_EXTENSIONS; i++) {
        numbers.put("x".repeat(40) + i + " " + "y".repeat(40), (long) i - 1);
      }
      file.write(
          Map.of(Counter.PID, 17L, Counter.ADD_STARTED, -1L), numbers, "striped", "one\ntwo");
      file.write(Map.of(Counter.PID, Long.MAX_VALUE));
      Counters seen = Counters.read(path()).orElseThrow();
      assertThat(seen.isWhole()).isTrue();
      assertThat(seen.strategy()).isEqualTo("striped");
      assertThat(seen.alarms()).containsExactly("one", "two");
      numbers.remove("x".repeat(40) + "10 " + "y".repeat(40));
      assertThat(seen.extensions()).hasSize(10).isEqualTo(numbers);
      assertThat(seen.get(Counter.PID)).isEqualTo(Long.MAX_VALUE);
      assertThat(seen.get(Counter.ADD_STARTED)).isEqualTo(-1);
      assertThat(seen.get(Counter.EXTENDED_COMPLETED)).isZero();

      file.write(Map.of(), Map.of(), "nio", "");
      assertThat(Counters.read(path()).orElseThrow().strategy()).isEqualTo("nio");
      assertThat(Counters.read(path()).orElseThrow().alarms()).isEmpty();
    }
    assertThat(Counters.read(path()).orElseThrow().get(Counter.PID)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void shouldHaveRoomForAllThatThereIs() {
    long end = CountersFile.NUMBERS_AT + 8L * Counter.values().length;
    assertThat(end).isLessThanOrEqualTo(CountersFile.EXTENSIONS_AT);
    assertThat(
            CountersFile.EXTENSIONS_AT
                + CountersFile.EXTENSION_BYTES * CountersFile.MAXIMUM_EXTENSIONS)
        .isLessThanOrEqualTo(CountersFile.BYTES);
    HashSet<String> labels = new HashSet<>();
    for (Counter counter : Counter.values()) {
      assertThat(labels.add(counter.label())).as(counter.label()).isTrue();
      assertThat(counter.description()).doesNotEndWith(".").isNotBlank();
    }
    assertThat(Counter.STORE_LAST_COMMIT_MILLIS.label()).isEqualTo("storeLastCommitMillis");
    for (OperationType type : OperationType.values()) {
      assertThat(Counter.started(type).place()).isEqualTo(Counter.completed(type).place() - 1);
    }
  }

  /** Other programs know the numbers by their places and names: none of these changes. */
  @Test
  void shouldKeepThePlaceAndTheNameOfEveryNumber() throws Exception {
    List<String> known =
        Files.readAllLines(Path.of("src/test/resources/org/nyala/management/meter/counters.txt"));
    List<String> now = new ArrayList<>();
    for (Counter counter : Counter.values()) {
      String words = counter.description();
      String sentence = Character.toUpperCase(words.charAt(0)) + words.substring(1);
      now.add(CountersFile.offset(counter) + " " + counter.label() + " " + sentence);
    }
    assertThat(now).startsWith(known.toArray(String[]::new));
  }

  @Test
  void shouldHaveAMeterForEveryNumberThatAServerCounts() {
    Set<Counter> ofTheProcess =
        EnumSet.of(
            Counter.STATE,
            Counter.PID,
            Counter.START_MILLIS,
            Counter.HEARTBEAT_MILLIS,
            Counter.HEARTBEAT_NANOS,
            Counter.EVENT_LOOPS_ANSWER);
    List<Counter> metered = MeterCatalogue.all().stream().map(Meter::counter).toList();
    assertThat(metered.stream().filter(Objects::nonNull))
        .doesNotHaveDuplicates()
        .containsExactlyInAnyOrderElementsOf(EnumSet.complementOf(EnumSet.copyOf(ofTheProcess)));
  }

  @Test
  void shouldKeepThePlacesThatAreWrittenDown() throws Exception {
    try (CountersFile file = CountersFile.create(path(), "nyala")) {
      file.write(
          Map.of(Counter.STATE, 2L, Counter.PID, 3L),
          Map.of("short-values refused", 7L),
          "striped",
          "an alarm");
    }
    ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(path())).order(ByteOrder.LITTLE_ENDIAN);
    assertThat(bytes.capacity()).isEqualTo(4096);
    assertThat(new String(bytes.array(), 0, 8, java.nio.charset.StandardCharsets.US_ASCII))
        .isEqualTo("NYALACTR");
    assertThat(bytes.getLong(8)).isEqualTo(1);
    assertThat(bytes.getLong(16)).isEqualTo(2);
    assertThat(bytes.get(64)).isEqualTo((byte) 'n');
    assertThat(bytes.get(128)).isEqualTo((byte) 's');
    assertThat(bytes.get(192)).isEqualTo((byte) 'a');
    assertThat(bytes.getLong(1024)).isEqualTo(2);
    assertThat(bytes.getLong(1032)).isEqualTo(3);
    assertThat(bytes.get(3072)).isEqualTo((byte) 's');
    assertThat(bytes.getLong(3160)).isEqualTo(7);
  }

  @Test
  void shouldCutLongTextsBetweenCharacters() throws Exception {
    try (CountersFile file = CountersFile.create(path(), "x" + "ä".repeat(100))) {
      assertThat(Counters.read(path()).orElseThrow().program()).isEqualTo("x" + "ä".repeat(31));
      file.write(Map.of(), Map.of(), "ä".repeat(32), "€".repeat(1000));
      Counters seen = Counters.read(path()).orElseThrow();
      assertThat(seen.strategy()).isEqualTo("ä".repeat(32));
      assertThat(seen.alarms()).containsExactly("€".repeat(277));
    }
  }

  @Test
  void shouldNeverShowHalfOfWhatIsWritten() throws Exception {
    try (CountersFile file = CountersFile.create(path(), "nyala")) {
      AtomicBoolean stop = new AtomicBoolean();
      Thread writer =
          Thread.ofPlatform()
              .start(
                  () -> {
                    for (long i = 1; !stop.get(); i++) {
                      file.write(all(i), Map.of(), Long.toString(i), "");
                      LockSupport.parkNanos(50_000);
                    }
                  });
      long last = 0;
      int whole = 0;
      try {
        for (int i = 0; i < 2000 || whole < 100; i++) {
          Counters seen = Counters.read(path()).orElseThrow();
          if (seen.isWhole() && !seen.strategy().isEmpty()) {
            whole++;
            long value = Long.parseLong(seen.strategy());
            assertThat(seen.numbers()).isEqualTo(all(value));
            assertThat(value).isGreaterThanOrEqualTo(last);
            last = value;
          }
        }
      } finally {
        stop.set(true);
        writer.join();
      }
      assertThat(last).isPositive();
    }
  }

  @Test
  void shouldShowWhatThereIsOfAWriterThatStandsStill() throws Exception {
    try (CountersFile file = CountersFile.create(path(), "nyala")) {
      file.write(all(5), Map.of(), "striped", "");
    }
    try (FileChannel channel = FileChannel.open(path(), StandardOpenOption.WRITE)) {
      channel.write(ByteBuffer.wrap(new byte[] {3}), CountersFile.SEQUENCE_AT);
    }
    Counters seen = Counters.read(path()).orElseThrow();
    assertThat(seen.isWhole()).isFalse();
    assertThat(seen.numbers()).isEqualTo(all(5));
  }

  @Test
  void shouldTakeNothingElseForCounters() throws Exception {
    assertThat(Counters.read(path())).isEmpty();
    Files.write(path(), new byte[0]);
    assertThat(Counters.read(path())).isEmpty();
    Files.writeString(path(), "NYALACTR");
    assertThat(Counters.read(path())).isEmpty();
    Files.write(path(), new byte[5000]);
    assertThat(Counters.read(path())).isEmpty();
  }

  @Test
  void shouldTakeThePlaceOfAnotherFile() throws Exception {
    Files.writeString(path(), "something else");
    CountersFile file = CountersFile.create(path(), "nyala");
    file.write(all(1));
    file.close();
    file.close();
    // A late writer does no harm.
    file.write(all(2));
    assertThat(Counters.read(path()).orElseThrow().numbers()).isEqualTo(all(1));
    assertThat(folder).isDirectoryNotContaining(each -> each.toString().endsWith(".new"));
  }

  @Test
  void shouldTellForHowLongNothingWasWritten() throws Exception {
    try (CountersFile file = CountersFile.create(path(), "nyala")) {
      file.write(Map.of(Counter.HEARTBEAT_NANOS, 5_000_000_000L));
      Counters seen = Counters.read(path()).orElseThrow();
      assertThat(seen.silentMillis(7_500_000_000L)).isEqualTo(2500);
      assertThat(seen.silentMillis(4_000_000_000L)).isZero();
    }
  }
}

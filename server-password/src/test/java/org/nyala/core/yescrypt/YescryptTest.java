package org.nyala.core.yescrypt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.password.HashBounds;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.TestPermit;

/** Tests that hashes of the C library are found again. */
final class YescryptTest {
  private static final String DIGITS =
      "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  private static final String DEBIAN = "$y$j9T$LdJMENpBABJJ3hIHjB1Bi.$";
  private static final HashBounds WIDE =
      new HashBounds(5000, 10, 210_000, 7168, 5, 1, 1 << 20, 100);

  static Stream<String> hashes() throws IOException {
    try (InputStream stream = YescryptTest.class.getResourceAsStream("hashes.txt")) {
      assertThat(stream).isNotNull();
      List<String> lines =
          new String(stream.readAllBytes(), UTF_8)
              .lines()
              .filter(line -> !line.startsWith("#"))
              .toList();
      assertThat(lines).hasSizeGreaterThan(30);
      return lines.stream();
    }
  }

  @ParameterizedTest
  @MethodSource("hashes")
  void shouldMatchHashesOfTheCLibrary(String line) {
    String password = line.substring(0, line.indexOf('\t'));
    String stored = line.substring(line.indexOf('\t') + 1);
    YescryptSettings settings = YescryptSettings.parse(stored);
    assertThat(settings).isNotNull();
    assertThat(hash(password.getBytes(UTF_8), settings, () -> false)).isEqualTo(stored);
    PasswordHash hash = PasswordHash.parse(("{CRYPT}" + stored).getBytes(UTF_8), WIDE);
    assertThat(hash.isSlow()).isTrue();
    assertThat(TestPermit.matches(hash, (password + "x").getBytes(UTF_8))).isFalse();
    assertThat(TestPermit.matches(hash, password.getBytes(UTF_8))).isTrue();
    assertThat(TestPermit.matches(hash.decoy(), password.getBytes(UTF_8))).isFalse();
    assertThat(hash.decoy().costsAs(hash)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "$y$",
        "$y$$",
        "$y$j9T",
        "$y$j9T$",
        "$y$j$salt$x",
        "$y$j9$salt$x",
        "$y$j9T!$....$x",
        "$y$k9T$....$x",
        "$y$z9T$....$x",
        "$y$09T$....$x",
        "$y$j9T$a$x",
        "$y$j9T$abcdefghij$x",
        "$y$j9T$a!..$x",
        "$y$j9T1.$....$x",
        "$y$j9T5.$....$x",
        "$y$j9T/.x$....$x",
        "$y$.9T/.$....$x",
        "$y$j.T..$....$x",
        "$y$jzzzzzz9T$....$x",
        "$y$jxT$....$x",
        "$y$jRzzzz$....$x",
        "$y$j9T.zzzzzz$....$x",
        // No encoder begins a number so, and decoders differ.
        "$y$j75/z....$....$x"
      })
  void shouldRefuseWhatIsNoneOrIsNotInUse(String stored) {
    assertThat(YescryptSettings.parse(stored)).isNull();
    byte[] value = ("{CRYPT}" + stored).getBytes(UTF_8);
    assertThat(TestPermit.matches(PasswordHash.parse(value, WIDE), "geheim")).isFalse();
  }

  /** Any text is read or refused, and the work is a number. */
  @Test
  void shouldTellTheWorkOfSettings() {
    assertThat(YescryptSettings.parse(DEBIAN + "x"))
        .satisfies(
            settings -> {
              assertThat(settings.kibibytes()).isBetween(16 << 10, (16 << 10) + 100);
              assertThat(settings.passes()).isEqualTo(3);
            });
    for (String prefix : List.of("$y$j9T", "$y$j75/2", "$y$/750/0", "$gy$j75.")) {
      for (int a = 0; a < 64; a++) {
        for (int b = 0; b < 64; b++) {
          String text = prefix + Crypt64.encode(new byte[] {(byte) (a | b << 6), (byte) (b >> 2)});
          YescryptSettings settings = YescryptSettings.parse(text + "$....$x");
          if (settings != null) {
            assertThat(settings.kibibytes()).as(text).isPositive();
            assertThat(settings.passes()).as(text).isBetween(2L, 1L << 62);
          }
        }
      }
    }
  }

  /** Returns settings without a salt. */
  private static YescryptSettings settings(int flavour, int logN, int r, int p) {
    String text =
        "$y$" + number(flavour, 0) + number(logN, 1) + number(r, 1) + number(1, 1) + number(p, 2);
    YescryptSettings settings = YescryptSettings.parse(text + "$$x");
    assertThat(settings == null || settings.r() == r && settings.p() == p).as(text).isTrue();
    return settings;
  }

  /** Returns a number as settings write it. */
  private static String number(int value, int least) {
    int left = value - least;
    int start = 0;
    int end = 47;
    int bits = 0;
    while (left >= end + 1 - start << bits) {
      left -= end + 1 - start << bits;
      start = end + 1;
      end = start + (62 - end) / 2;
      bits += 6;
    }
    StringBuilder text = new StringBuilder().append(DIGITS.charAt(start + (left >> bits)));
    while (bits > 0) {
      bits -= 6;
      text.append(DIGITS.charAt(left >> bits & 63));
    }
    return text.toString();
  }

  /** Flavours: scrypt, write once, yescrypt. Blocks are large or many beside the memory. */
  @ParameterizedTest
  @CsvSource({
    "0, 1, 16384, 8",
    "1, 1, 16384, 8",
    "1, 1, 65536, 2",
    "1, 3, 1, 100000",
    "47, 6, 1024, 32",
    "47, 10, 1, 512",
    "47, 12, 32, 2"
  })
  void shouldTakeNoMoreMemoryThanItTells(int flavour, int logN, int r, int p) {
    YescryptSettings settings = settings(flavour, logN, r, p);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    byte[] password = "geheim".getBytes(UTF_8);
    assertThat(hash(password, settings, () -> false)).isNotNull();
    long before = threads.getCurrentThreadAllocatedBytes();
    assertThat(hash(password, settings, () -> false)).isNotNull();
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    // Garbage at once: bytes that have become words, 48 bytes for each 32, what makes S-boxes.
    long garbage = 128L * r * p * 5 / 2 + (flavour == 47 ? 1024L * p : 0) + (256 << 10);
    assertThat(allocated - garbage).isLessThanOrEqualTo(1024L * settings.kibibytes());
    assertThat(allocated).isGreaterThan(1024L * settings.kibibytes() / 2);
  }

  @Test
  void shouldRefuseBlocksThatNoArrayHolds() {
    assertThat(settings(1, 1, 1 << 23, 2)).isNull();
    assertThat(settings(1, 1, 1 << 12, 1 << 12)).isNull();
    assertThat(settings(1, 1, 1 << 12, (1 << 12) - 1)).isNotNull();
  }

  @Test
  void shouldLookOftenIfBlocksAreLargeAndFew() {
    YescryptSettings settings = settings(0, 1, 16384, 8);
    AtomicInteger looks = new AtomicInteger();
    byte[] password = "geheim".getBytes(UTF_8);
    assertThat(hash(password, settings, () -> looks.incrementAndGet() < 0)).isNotNull();
    // 524,288 hashes and eight times four blocks.
    assertThat(looks.get()).isGreaterThanOrEqualTo(524_288 / 4096 + 8 * 4);
    looks.set(0);
    assertThat(hash(password, settings, () -> looks.incrementAndGet() > 3)).isNull();
    assertThat(looks).hasValue(4);
  }

  @Test
  void shouldEndIfTheResultIsNoLongerWanted() {
    YescryptSettings settings = YescryptSettings.parse(DEBIAN + "x");
    assertThat(settings).isNotNull();
    AtomicInteger looks = new AtomicInteger();
    assertThat(hash("geheim".getBytes(UTF_8), settings, () -> looks.incrementAndGet() > 3))
        .isNull();
    assertThat(looks).hasValue(4);
  }

  @Test
  void shouldKeepWhatIsNotWeakerThanNewHashes() {
    PasswordHash debian = PasswordHash.parse(("{CRYPT}" + DEBIAN + "x").getBytes(UTF_8));
    byte[] argon2 = "{ARGON2}$argon2id$v=19$m=7168,t=5,p=1$AAAAAAAAAAA$AAAAAAAAAAA".getBytes(UTF_8);
    assertThat(debian.isWeakerThan(PasswordHash.parse(argon2))).isFalse();
    PasswordHash small = PasswordHash.parse("{CRYPT}$y$j75$....$x".getBytes(UTF_8));
    assertThat(small.isWeakerThan(PasswordHash.parse(argon2))).isTrue();
  }

  private static String hash(
      byte[] password, YescryptSettings settings, BooleanSupplier isUnwanted) {
    long[] memory = new long[settings.longs()];
    // Leftovers of another hash.
    Arrays.fill(memory, -1);
    return Yescrypt.hash(password, settings, memory, isUnwanted);
  }
}

package org.nyala.core.quality;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.Seeds;

class PasswordChecksTest {
  private static final PasswordChecks LENGTHS = new PasswordChecks(QualitySettings.NONE);
  private static final PasswordChecks OWN = new PasswordChecks(new QualitySettings(0, true, null));
  private static final PasswordChecks ESTIMATE =
      new PasswordChecks(new QualitySettings(35, false, null));

  @TempDir Path folder;

  private static PasswordFlaw length(byte[] password, int minimum, int maximum) {
    return LENGTHS.find(password, minimum, maximum, List.of());
  }

  private static boolean hasLength(byte[] password, int length) {
    return length(password, length, length) == null
        && length(password, length + 1, 0).kind() == PasswordFlaw.Kind.TOO_SHORT
        && (length <= 1 || length(password, 0, length - 1).kind() == PasswordFlaw.Kind.TOO_LONG);
  }

  @Test
  void shouldCountCharacters() {
    assertThat(hasLength(new byte[0], 0)).isTrue();
    assertThat(hasLength("abc".getBytes(UTF_8), 3)).isTrue();
    assertThat(hasLength("\u00e4bc".getBytes(UTF_8), 3)).isTrue();
    assertThat(hasLength("a\u0308bc".getBytes(UTF_8), 3)).as("composed by NFC").isTrue();
    assertThat(hasLength("q\u0308bc".getBytes(UTF_8), 4)).as("has no composed form").isTrue();
    assertThat(hasLength("\uD83D\uDE00\uD83D\uDC4D".getBytes(UTF_8), 2)).isTrue();
    assertThat(hasLength("\u1112\u1161\u11AB".getBytes(UTF_8), 1)).as("Hangul").isTrue();
    assertThat(hasLength("\u00e4\u00f6\u00fc".getBytes(ISO_8859_1), 3)).as("octets").isTrue();
    assertThat(hasLength(new byte[] {(byte) 0xF0, (byte) 0x9F, (byte) 0x98}, 3)).isTrue();
    assertThat(length("abc".getBytes(UTF_8), 0, 0)).isNull();
  }

  @Test
  void shouldSayHowManyCharactersAPasswordNeeds() {
    assertThat(length("abc".getBytes(UTF_8), 8, 0).message())
        .isEqualTo("a password needs at least 8 characters");
    assertThat(length(new byte[0], 1, 0).message())
        .isEqualTo("a password needs at least 1 character");
    assertThat(length("abc".getBytes(UTF_8), 0, 2).message())
        .isEqualTo("a password has at most 2 characters");
  }

  @Test
  void shouldTakePasswordsOfAnySize() {
    byte[] marks = ("a" + "\u0301\u0323".repeat(250_000)).getBytes(UTF_8);
    PasswordChecks all = new PasswordChecks(new QualitySettings(30, true, null));
    PasswordFlaw flaw = all.find(marks, 1, 500_000, List.of("johnson"));
    assertThat(flaw).isNotNull();
    assertThat(flaw.kind()).isEqualTo(PasswordFlaw.Kind.TOO_LONG);
    all.findWeakness(marks, List.of("a" + "\u0323\u0301".repeat(250_000), "x".repeat(1_000_000)));
  }

  @ParameterizedTest
  @CsvSource({
    "xyJOHNSON!9, Robert Johnson",
    "nosnhoj99, Robert Johnson",
    "J0hn$0n#42, Robert Johnson",
    "j-o-h-n-s-o-n, Robert Johnson",
    "robertj, robertjones",
    "senoj, robertjones",
    "ann, Ann",
    "joxu1978, Jo Xu",
    "M\u00fcller+5, muller",
    "muller+5, M\u00fcller",
    "ROBERT.2, robert.jones@example.com",
    "lil1an77, Lillian Lilian"
  })
  void shouldRefuseWordsOfTheAccount(String password, String value) {
    PasswordFlaw flaw = OWN.findWeakness(password.getBytes(UTF_8), List.of("other", value));
    assertThat(flaw).as("%s for %s", password, value).isNotNull();
    assertThat(flaw.kind()).isEqualTo(PasswordFlaw.Kind.QUALITY);
    assertThat(flaw.message())
        .contains("attributes")
        .doesNotContain(password)
        .doesNotContain(value);
  }

  @ParameterizedTest
  @CsvSource({
    "correcthorse, Robert Johnson",
    "annabel!7, Ann Lee",
    "johnso, Robert Johnston-Ng",
    "x, '...'",
    "'   ', Robert",
    "'', Robert"
  })
  void shouldTakeOtherWords(String password, String value) {
    assertThat(OWN.findWeakness(password.getBytes(UTF_8), List.of(value, ""))).isNull();
    assertThat(LENGTHS.findWeakness(password.getBytes(UTF_8), List.of(password))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "password",
        "P@ssw0rd",
        "Passw0rd1!",
        "qwertyuiop",
        "1qaz2wsx3edc",
        "Summer2024!",
        "12.03.1987",
        "aaaaaaaaaaaaaaaa",
        "abcdefghijkl",
        "drowssap",
        "!!!!!!!!!!!!!!!!",
        ""
      })
  void shouldRefuseWhatIsEasyToGuess(String password) {
    PasswordFlaw flaw = ESTIMATE.findWeakness(password.getBytes(UTF_8), List.of());
    assertThat(flaw).isEqualTo(PasswordFlaw.EASY_TO_GUESS);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"x7Gk!q9Lz", "Kx9#mQ2$vT7&", "8f3a9c0d2b", "tr\u00e4umerei 7", "1!7|1!7 kwpgz 3Y"})
  void shouldTakeWhatIsHardToGuess(String password) {
    assertThat(ESTIMATE.findWeakness(password.getBytes(UTF_8), List.of())).isNull();
    byte[] octets = password.getBytes(ISO_8859_1);
    assertThat(ESTIMATE.findWeakness(octets, List.of())).isNull();
  }

  @Test
  void shouldEstimateAnything() {
    long seed = Seeds.seed();
    Random random = new Random(seed);
    GuessEstimate estimate = new GuessEstimate();
    String signs = "aeiost013!|7$@lrn\uD83D\uDE00\u0130\u01c5";
    for (int i = 0; i < 300; i++) {
      StringBuilder text = new StringBuilder();
      int length = random.nextInt(70);
      while (text.length() < length) {
        switch (random.nextInt(3)) {
          case 0 -> text.append((char) random.nextInt(1 << 16));
          case 1 -> text.append((char) (' ' + random.nextInt(95)));
          default -> text.append(signs.charAt(random.nextInt(signs.length())));
        }
      }
      String password = text.toString();
      assertThat(estimate.bits(password))
          .as("-Dtest.seed=%d: %s", seed, password.chars().boxed().toList())
          .isBetween(0.0, 2000.0)
          .isEqualTo(estimate.bits(password));
    }
    for (String part : List.of("1|!7", "1", "a1", "passwordpassword", "01021990", "\u0130")) {
      assertThat(estimate.bits(part.repeat(100))).as(part).isBetween(0.0, 2000.0);
    }
  }

  @Test
  void shouldLoadTheEstimateOnceForManyThreads() throws Exception {
    int threads = 8;
    PasswordChecks fresh = new PasswordChecks(new QualitySettings(35, false, null));
    CyclicBarrier start = new CyclicBarrier(threads);
    Callable<List<PasswordFlaw>> work =
        () -> {
          start.await();
          List<PasswordFlaw> found = new ArrayList<>();
          for (String each : List.of("password", "x7Gk!q9Lz", "Summer2024!")) {
            found.add(fresh.findWeakness(each.getBytes(UTF_8), List.of()));
          }
          return found;
        };
    try (ExecutorService pool = Executors.newFixedThreadPool(threads)) {
      List<Future<List<PasswordFlaw>>> all = new ArrayList<>();
      for (int i = 0; i < threads; i++) {
        all.add(pool.submit(work));
      }
      for (Future<List<PasswordFlaw>> each : all) {
        assertThat(each.get())
            .containsExactly(PasswordFlaw.EASY_TO_GUESS, null, PasswordFlaw.EASY_TO_GUESS);
      }
    }
  }

  @Test
  void shouldRefuseBreachedPasswords() throws IOException {
    Path file = folder.resolve("list");
    try (BreachedListBuilder builder = BreachedListBuilder.open(file)) {
      builder.add(BreachedPasswords.prefix("tr\u00e4umerei".getBytes(UTF_8)));
      builder.add(BreachedPasswords.prefix(new byte[] {(byte) 0xFF, 'x'}));
      builder.finish();
    }
    try (BreachedPasswords list = BreachedPasswords.open(file)) {
      PasswordChecks checks = new PasswordChecks(new QualitySettings(0, false, list));
      for (String each : List.of("tr\u00e4umerei", "tra\u0308umerei")) {
        assertThat(checks.findWeakness(each.getBytes(UTF_8), List.of()))
            .as(each)
            .isEqualTo(PasswordFlaw.BREACHED);
      }
      assertThat(checks.findWeakness(new byte[] {(byte) 0xFF, 'x'}, List.of()))
          .isEqualTo(PasswordFlaw.BREACHED);
      assertThat(checks.findWeakness("Tr\u00e4umerei".getBytes(UTF_8), List.of())).isNull();
      assertThat(checks.find("tr\u00e4umerei".getBytes(UTF_8), 20, 0, List.of()).kind())
          .isEqualTo(PasswordFlaw.Kind.TOO_SHORT);
    }
  }
}

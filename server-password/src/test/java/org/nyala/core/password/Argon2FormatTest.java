package org.nyala.core.password;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The reading of stored Argon2, compared with a grammar of its own. */
final class Argon2FormatTest {
  private static final String SALT = "c2FsdHNhbHRzYWx0c2FsdA";
  private static final String HASH = "aGFzaGhhc2hoYXNoaGFzaGhhc2hoYXNoaGFzaGhhc2g";
  private static final String ALPHABET = "$argon2idv=1690mtp,+/zAZ-. \u00e4";

  private static final Pattern GRAMMAR =
      Pattern.compile(
          "\\$argon2(?:i|d|id)\\$(?:v=(?:16|19)\\$)?m=0*([1-9][0-9]*),t=0*([1-9][0-9]*)"
              + ",p=0*([1-9][0-9]*)\\$([A-Za-z0-9+/]+)\\$([A-Za-z0-9+/]+)");

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** The naive reading: a regular expression, and the decoder of the platform. */
  private static boolean isWellFormed(String text) {
    Matcher parts = GRAMMAR.matcher(text);
    if (!parts.matches() || text.length() > 4096) {
      return false;
    }
    for (int i = 1; i <= 3; i++) {
      if (parts.group(i).length() > 9) {
        return false;
      }
    }
    try {
      int salt = Base64.getDecoder().decode(parts.group(4)).length;
      int hash = Base64.getDecoder().decode(parts.group(5)).length;
      return Long.parseLong(parts.group(1)) >= 8 * Long.parseLong(parts.group(3))
          && salt >= 8
          && salt <= 128
          && hash >= 8
          && hash <= 128;
    } catch (IllegalArgumentException _) {
      return false;
    }
  }

  private static boolean isRead(String text) {
    Argon2 read = Argon2.read(bytes(text));
    return read != null && read.isWellFormed();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$argon2id$v=19$m=7168,t=5,p=1$",
        "$argon2i$v=16$m=008,t=1,p=1$",
        "$argon2d$m=16,t=999999999,p=2$"
      })
  void shouldReadEachForm(String settings) {
    assertThat(isRead(settings + SALT + '$' + HASH)).isTrue();
    assertThat(isWellFormed(settings + SALT + '$' + HASH)).isTrue();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "$argon2id$",
        "$argon2id$v=19$v=19$m=8,t=1,p=1$" + SALT + "$" + HASH,
        "$argon2id$v=18$m=8,t=1,p=1$" + SALT + "$" + HASH,
        "$argon2id$v=19$m=7,t=1,p=1$" + SALT + "$" + HASH,
        "$argon2id$v=19$m=8,t=0,p=1$" + SALT + "$" + HASH,
        "$argon2id$v=19$m=8,t=1,p=1234567890$" + SALT + "$" + HASH,
        "$argon2id$v=19$m=8,t=1,p=1$" + SALT + "$" + HASH + "$",
        "$argon2id$v=19$m=8,t=1,p=1$" + SALT + "$a",
        "$argon2id$v=19$m=8,t=1,p=1$abcde$" + HASH
      })
  void shouldRefuseWhatIsDamaged(String stored) {
    assertThat(isRead(stored)).isFalse();
    assertThat(isWellFormed(stored)).isFalse();
  }

  @Test
  void shouldAgreeWithTheGrammar() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 50_000; i++) {
      String text = mutated(random);
      assertThat(isRead(text)).as("seed %d, %s", seed, text).isEqualTo(isWellFormed(text));
    }
  }

  private static String mutated(Random random) {
    String[] types = {"i", "d", "id", "ii"};
    String[] versions = {"", "v=19$", "v=16$", "v=1$"};
    StringBuilder text = new StringBuilder("$argon2");
    text.append(types[random.nextInt(types.length)]).append('$');
    text.append(versions[random.nextInt(versions.length)]);
    text.append("m=").append("0".repeat(random.nextInt(3))).append(random.nextInt(100_000));
    text.append(",t=").append(random.nextInt(20)).append(",p=").append(random.nextInt(5));
    text.append('$').append(SALT, 0, random.nextInt(SALT.length() + 1));
    text.append('$').append(HASH, 0, random.nextInt(HASH.length() + 1));
    for (int edits = random.nextInt(3); edits > 0; edits--) {
      int at = random.nextInt(text.length());
      switch (random.nextInt(3)) {
        case 0 -> text.deleteCharAt(at);
        case 1 -> text.insert(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
        default -> text.setCharAt(at, ALPHABET.charAt(random.nextInt(ALPHABET.length())));
      }
    }
    return text.toString();
  }

  /** Settings are what counts, not the digits or the salt. */
  @Test
  void shouldCompareCosts() {
    Argon2 one = Argon2.read(bytes("$argon2id$v=19$m=07168,t=5,p=1$" + SALT + '$' + HASH));
    Argon2 same = Argon2.read(bytes("$argon2id$v=19$m=7168,t=5,p=1$" + HASH + '$' + SALT));
    Argon2 other = Argon2.read(bytes("$argon2id$v=19$m=7168,t=6,p=1$" + SALT + '$' + HASH));
    assertThat(one).isNotNull();
    assertThat(same).isNotNull();
    assertThat(other).isNotNull();
    assertThat(one.costsAs(same)).isTrue();
    assertThat(one.costsAs(other)).isFalse();
    Argon2 decoy = Argon2.read(other.decoy());
    assertThat(decoy).isNotNull();
    assertThat(decoy.costsAs(other)).isTrue();
  }
}

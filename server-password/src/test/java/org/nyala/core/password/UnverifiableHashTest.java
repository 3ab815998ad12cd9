package org.nyala.core.password;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import org.apache.commons.codec.digest.Crypt;
import org.apache.directory.api.ldap.model.password.BCrypt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class UnverifiableHashTest {
  private static final byte[] PASSWORD = "geheim".getBytes(US_ASCII);
  private static final String SALT = "abcdefghijklmnopqrstuu";
  private static final String REST = "0123456789012345678901234567890";

  private static byte[] stored(String hash) {
    return ("{CRYPT}" + hash).getBytes(US_ASCII);
  }

  /** Hashes that are taken for usable match the password that was hashed. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "ab",
        "./",
        "9Z",
        "$1$a",
        "$1$./09AZaz",
        "$5$a",
        "$5$rounds=1000$./09AZaz./09AZaz",
        "$6$abc",
        "$6$rounds=1001$salt"
      })
  void shouldTellNothingOfWhatMatches(String settings) {
    String hash = Crypt.crypt(PASSWORD.clone(), settings);
    assertThat(PasswordHash.parse(stored(hash)).matches(PASSWORD)).isTrue();
    assertThat(UnverifiableHash.scheme(stored(hash))).isNull();
    assertThat(UnverifiableHash.scheme(stored(hash + "x"))).isNotNull();
    String zeros = hash.replace("rounds=", "rounds=000");
    assertThat(PasswordHash.parse(stored(zeros)).matches(PASSWORD)).isTrue();
    assertThat(UnverifiableHash.scheme(stored(zeros))).isNull();
  }

  @ParameterizedTest
  @ValueSource(strings = {"$2$04$", "$2a$04$", "$2b$04$", "$2y$05$"})
  void shouldTellNothingOfBcrypt(String settings) {
    String hash = BCrypt.hashPw("geheim", settings + SALT);
    assertThat(PasswordHash.parse(stored(hash)).matches(PASSWORD)).isTrue();
    assertThat(UnverifiableHash.scheme(stored(hash))).isNull();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "$2x$04$" + SALT + REST,
        "$2z$04$" + SALT + REST,
        "$2a$00$" + SALT + REST,
        "$2a$03$" + SALT + REST,
        "$2a$30$" + SALT + REST,
        "$2a$32$" + SALT + REST,
        "$2y$99$" + SALT + REST,
        "$1$$" + SALT,
        "$1$a:b$" + SALT,
        "a:01234567890",
        "$6$rounds=10000000000$salt$x"
      })
  void shouldTellWhatTheVerifiersRefuse(String hash) {
    assertThat(UnverifiableHash.scheme(stored(hash)))
        .startsWith("{CRYPT}")
        .doesNotContain(SALT, REST);
    assertThat(new CryptFormats(hash).matches(PASSWORD, () -> false)).isFalse();
  }

  @Test
  void shouldNotWaitForMemoryIfNobodyWaits() {
    int taken = HashMemory.acquire(Integer.MAX_VALUE);
    try {
      CryptFormats yescrypt = new CryptFormats("$y$j9T$....$x");
      assertTimeoutPreemptively(
          Duration.ofSeconds(60),
          () -> assertThat(yescrypt.matches(PASSWORD, () -> true)).isFalse());
    } finally {
      HashMemory.release(taken);
    }
  }

  /** Settings of yescrypt with p = 2^23 and t = 2^24, whose product with the memory is no long. */
  @Test
  void shouldRankWorkBeyondAllNumbers() {
    CryptFormats greatest = new CryptFormats("$y$/..0yRvrCyxvrD$$x");
    assertThat(greatest.strength().work()).isEqualTo(Long.MAX_VALUE);
  }
}

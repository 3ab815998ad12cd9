package org.nyala.core.password;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests hashes of other work than by default, and the measurement of their time. */
class HashCostTest {
  private static final byte[] PASSWORD = "geheim".getBytes(US_ASCII);
  private static final HashCost COST = new HashCost(2048, 3, 20_000, 8, 6000, 5000);

  @ParameterizedTest
  @CsvSource({
    "ARGON2, '$argon2id$v=19$m=2048,t=3,p=1$'",
    "PBKDF2_SHA512, 20000$",
    "BCRYPT, $2a$08$",
    "CRYPT, $6$rounds=6000$",
    "SCRAM_SHA256, 5000:"
  })
  void shouldHashWithTheWorkThatIsWanted(PasswordScheme scheme, String settings) {
    byte[] stored = PasswordHash.createVerified(scheme, COST, PASSWORD, new Random(1));
    assertThat(new String(stored, US_ASCII)).startsWith("{" + scheme.label() + "}" + settings);
    PasswordHash hash = PasswordHash.parse(stored);
    assertThat(hash.matches(PASSWORD)).isTrue();
    assertThat(hash.costsAs(PasswordHash.decoy(scheme, COST))).isTrue();
    assertThat(hash.costsAs(PasswordHash.decoy(scheme))).isFalse();
  }

  @Test
  void shouldStoreAnewWhatTakesLessWork() {
    byte[] stored = PasswordHash.create(PasswordScheme.ARGON2, COST, PASSWORD, new Random(1));
    HashCost more = COST.withArgon2(4096, 3);
    assertThat(
            PasswordHash.parse(stored)
                .isWeakerThan(PasswordHash.decoy(PasswordScheme.ARGON2, more)))
        .isTrue();
    assertThat(
            PasswordHash.parse(stored)
                .isWeakerThan(PasswordHash.decoy(PasswordScheme.ARGON2, COST)))
        .isFalse();
  }

  @Test
  void shouldKnowWhatTheBoundsExclude() {
    HashBounds bounds = HashBounds.DEFAULT;
    assertThat(HashCost.DEFAULT.excess(PasswordScheme.ARGON2, bounds)).isNull();
    assertThat(COST.withArgon2(65_537, 1).excess(PasswordScheme.ARGON2, bounds))
        .contains("maximumArgon2Kibibytes");
    assertThat(COST.withArgon2(65_536, 17).excess(PasswordScheme.ARGON2, bounds))
        .contains("maximumArgon2Passes");
    assertThat(COST.with(PasswordScheme.BCRYPT, 15).excess(PasswordScheme.BCRYPT, bounds))
        .contains("maximumBcryptCost");
    assertThat(COST.withArgon2(65_537, 1).excess(PasswordScheme.BCRYPT, bounds)).isNull();
  }

  /** A clock that moves at each look shows how often the code has hashed. */
  @Test
  void shouldMeasureForABoundedTime() {
    AtomicLong clock = new AtomicLong();
    HashSpeed speed =
        HashSpeed.measure(PasswordScheme.ARGON2, COST, 5000, () -> clock.getAndAdd(1000), () -> 0);
    assertThat(clock).hasValue(6000);
    assertThat(speed.nanos()).isEqualTo(1000);
    assertThat(speed.perSecond(2)).isEqualTo(2_000_000);
    assertThat(
            HashSpeed.measure(PasswordScheme.SSHA, COST, 0, () -> clock.getAndAdd(1000), () -> 0)
                .nanos())
        .isEqualTo(10);
  }

  /** A machine on which others leave nothing to this thread. */
  @Test
  void shouldEndOnABusyMachine() {
    AtomicLong clock = new AtomicLong();
    HashSpeed speed =
        HashSpeed.measure(PasswordScheme.ARGON2, COST, 5000, () -> 0, () -> clock.addAndGet(4000));
    assertThat(clock).hasValue(24_000);
    assertThat(speed.nanos()).isEqualTo(1);
  }
}

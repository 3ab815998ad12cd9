package org.nyala.core.policy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.directory.UpdateSettings;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;
import org.nyala.core.password.TestPermit;

/** Tests the bounds of storing passwords anew. */
class PasswordUpgradesTest {
  private static final byte[] SECRET = "secret".getBytes(US_ASCII);

  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

  private static PasswordUpgrades upgrades(UpdateSettings settings) {
    return new PasswordUpgrades(settings, PasswordHash.decoy(PasswordScheme.SSHA512));
  }

  private final PasswordUpgrades upgrades =
      upgrades(UpdateSettings.of(1, Thread.ofPlatform().factory()));

  @Test
  void shouldTryEachEntryOnceInAMinute() {
    assertThat(upgrades.tryBegin(7, 0)).isTrue();
    assertThat(upgrades.tryBegin(7, 0)).isFalse();
    assertThat(upgrades.tryBegin(8, 0)).isTrue();
    upgrades.ended();
    assertThat(upgrades.tryBegin(7, 60 * SECOND - 1)).isFalse();
    assertThat(upgrades.tryBegin(7, 60 * SECOND)).isTrue();
    assertThat(upgrades.tryBegin(7, 61 * SECOND)).isFalse();
  }

  @Test
  void shouldHaveABoundOfAll() {
    int begun = 0;
    for (int i = 0; i < 1000; i++) {
      begun += upgrades.tryBegin(i, -5 * SECOND) ? 1 : 0;
    }
    assertThat(begun).isEqualTo(64);
    assertThat(upgrades.tryBegin(2000, 0)).isFalse();
    upgrades.ended();
    assertThat(upgrades.tryBegin(2000, 0)).isTrue();
  }

  /** Other passwords would fit as well, the one that the user knows among them. */
  @Test
  void shouldLeaveValuesAloneThatOtherPasswordsFit() {
    PasswordHash des = PasswordHash.parse("{CRYPT}abNANd1rDfiNc".getBytes(US_ASCII));
    PasswordHash bcrypt =
        PasswordHash.parse(
            "{CRYPT}$2a$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a"
                .getBytes(US_ASCII));
    PasswordUpgrades toArgon =
        new PasswordUpgrades(
            UpdateSettings.of(1, Thread.ofPlatform().factory()),
            PasswordHash.decoy(PasswordScheme.ARGON2));
    assertThat(TestPermit.matches(des, SECRET)).isTrue();
    assertThat(toArgon.isDue(des, SECRET)).isTrue();
    for (String other : List.of("hunter2-", "hunter2-Spring", "s\u00e9cret", "se\0cret")) {
      assertThat(toArgon.isDue(des, other.getBytes(UTF_8))).as(other).isFalse();
    }
    assertThat(toArgon.isDue(bcrypt, "a".repeat(71).getBytes(US_ASCII))).isTrue();
    assertThat(toArgon.isDue(bcrypt, "a".repeat(72).getBytes(US_ASCII))).isFalse();
    assertThat(toArgon.isDue(bcrypt, "a\0".getBytes(US_ASCII))).isFalse();
  }

  @Test
  void shouldLeavePasswordsOfReadOnlyDirectoriesAlone() {
    PasswordHash weak = PasswordHash.parse("{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=".getBytes(US_ASCII));
    assertThat(upgrades.isDue(weak, SECRET)).isTrue();
    assertThat(upgrades(UpdateSettings.READ_ONLY).isDue(weak, SECRET)).isFalse();
  }
}

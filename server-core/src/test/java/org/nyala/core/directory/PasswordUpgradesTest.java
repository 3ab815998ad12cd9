package org.nyala.core.directory;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.nyala.core.password.PasswordHash;
import org.nyala.core.password.PasswordScheme;

/** Tests the bounds of storing passwords anew. */
class PasswordUpgradesTest {
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

  @Test
  void shouldLeavePasswordsOfReadOnlyDirectoriesAlone() {
    PasswordHash weak = PasswordHash.parse("{SHA}5en6G6MezRroT3XKqkdPOmY/BfQ=".getBytes(US_ASCII));
    assertThat(upgrades.isDue(weak)).isTrue();
    assertThat(upgrades(UpdateSettings.READ_ONLY).isDue(weak)).isFalse();
  }
}

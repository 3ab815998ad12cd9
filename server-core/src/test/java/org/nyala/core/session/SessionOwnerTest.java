package org.nyala.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.session.SessionFixture.limits;
import static org.nyala.core.session.SessionFixture.somebody;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.nyala.core.access.BoundIdentity;

/** Tests the owner whose account threads, permits and memory are taken from. */
class SessionOwnerTest {
  private final SessionFixture fixture = new SessionFixture("striped", 1, 2, limits(4, 8));

  @AfterEach
  void close() {
    fixture.close();
  }

  @Test
  void shouldTakeStrangersFromOneAddressForOne() {
    Session first = fixture.openFrom("192.0.2.1").session;
    Session second = fixture.openFrom("192.0.2.1").session;
    Session other = fixture.openFrom("192.0.2.2").session;
    assertThat(first.owner()).isEqualTo(second.owner()).isNotEqualTo(other.owner());
    assertThat(first.memory().owner()).isEqualTo(second.memory().owner()).isEqualTo(first.owner());
  }

  @Test
  void shouldTakeAnIdentityForOneWhereverItComesFrom() {
    BoundIdentity identity = somebody();
    Session first = fixture.openFrom("192.0.2.1").session;
    Session second = fixture.openFrom("192.0.2.2").session;
    assertThat(first.owner(identity)).isEqualTo(second.owner(identity));
    assertThat(first.owner(BoundIdentity.ANONYMOUS)).isNotEqualTo(first.owner(identity));
  }
}

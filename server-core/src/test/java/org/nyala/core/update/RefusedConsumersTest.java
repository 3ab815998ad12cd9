package org.nyala.core.update;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.nyala.core.backend.RandomDirectory;
import org.nyala.core.dn.Dn;
import org.nyala.core.session.OperationFixture;

class RefusedConsumersTest {
  private final RefusedConsumers refused = new RefusedConsumers();

  private static RefusedConsumers.Consumer consumer(Dn dn, int replicaId) {
    return new RefusedConsumers.Consumer("192.0.2.1", dn, Dn.EMPTY, replicaId);
  }

  @Test
  void shouldKeepPlacesForOthersThanOneWhoMakesUpNumbers() {
    Dn copy = RandomDirectory.dn(OperationFixture.SCHEMA, "cn=copy");
    Dn other = RandomDirectory.dn(OperationFixture.SCHEMA, "cn=other");
    for (int i = 0; i < 1000; i++) {
      refused.refused(consumer(other, i), "no", 0);
    }
    assertThat(refused.lines(0)).hasSize(8);
    refused.refused(consumer(copy, 1), "restored", 0);
    assertThat(refused.lines(0))
        .hasSize(9)
        .contains("rid=001 at 192.0.2.1 as cn=copy, of : restored");
    refused.refreshed(consumer(copy, 1));
    assertThat(refused.lines(0)).hasSize(8);
  }
}

package org.nyala.core.operation.sync;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.nyala.core.backend.Csn;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.control.SyncRequest;

/** The cookies of clients of a copy, which gives numbers to changes that come without. */
final class SyncClientTest {
  private static final Csn GIVEN = new Csn(1_700_000_000_000_000L, 0, 1, 0);
  private static final Csn OWN = new Csn(1_700_000_000_000_000L, 0, 1, 2);

  private static SyncRequest request(Csn csn) {
    return new SyncRequest(true, "rid=007,csn=" + csn);
  }

  private static String text(byte[] cookie) {
    return new String(cookie, US_ASCII);
  }

  @Test
  void clientsGetTheNumbersOfTheProvider() {
    SyncClient client = SyncClient.of(request(GIVEN), 2);
    assertThat(text(client.cookie(GIVEN))).isEqualTo("rid=007,csn=" + GIVEN);
    assertThat(text(client.cookie(OWN))).isEqualTo("rid=007");
    assertThat(text(client.cookie(CsnVector.EMPTY.with(OWN)))).isEqualTo("rid=007,csn=" + GIVEN);
  }

  /** The number belongs to another change in another copy. */
  @Test
  void numbersOfCopiesAreNotKnown() {
    assertThat(SyncClient.of(request(OWN), 2).known()).isEqualTo(CsnVector.EMPTY.with(GIVEN));
  }

  @Test
  void theLogHasNumbersOfItsOwn() {
    SyncClient client = SyncClient.ofLog(request(OWN), 2);
    assertThat(client.known()).isEqualTo(CsnVector.EMPTY.with(OWN));
    assertThat(text(client.cookie(OWN))).isEqualTo("rid=007,csn=" + OWN);
    assertThat(text(client.cookie(CsnVector.EMPTY.with(OWN)))).isEqualTo("rid=007,csn=" + OWN);
  }
}

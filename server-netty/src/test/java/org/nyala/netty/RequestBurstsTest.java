package org.nyala.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import java.io.IOException;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.FieldSource;
import org.nyala.netty.WireSettings.Transport;
import org.nyala.netty.codec.LdapTags;

/** Requests that come together, or in pieces. */
@ParameterizedClass
@EnumSource(WireSettings.Codec.class)
final class RequestBurstsTest extends NettyLdapServerTestCase {
  RequestBurstsTest(WireSettings.Codec tested) {
    codec = tested;
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAnswerPipelinedRequestsWhereverTheyAreSplit(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    byte[] pdus = new byte[0];
    for (int id = 1; id <= 3; id++) {
      pdus = Pdus.concat(pdus, Pdus.search(id, "dc=example", id));
    }
    try (TestClient client = connect()) {
      for (int split = 1; split < pdus.length; split++) {
        client.send(java.util.Arrays.copyOf(pdus, split));
        client.send(java.util.Arrays.copyOfRange(pdus, split, pdus.length));
        int[] entries = new int[4];
        for (int done = 0; done < 3; ) {
          TestClient.Response response = client.receive();
          if (response.tag() == LdapTags.SEARCH_RESULT_DONE) {
            assertThat(entries[response.messageId()]).isEqualTo(response.messageId());
            done++;
          } else {
            entries[response.messageId()]++;
          }
        }
      }
      byte[] many = new byte[0];
      for (int id = 1; id <= 2000; id++) {
        many = Pdus.concat(many, Pdus.search(id, "dc=example", 1));
      }
      byte[] all = many;
      CompletableFuture<Void> sender =
          CompletableFuture.runAsync(
              () -> {
                try {
                  client.send(all);
                } catch (IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
              });
      int results = 0;
      while (results < 2000) {
        results += client.receive().tag() == LdapTags.SEARCH_RESULT_DONE ? 1 : 0;
      }
      sender.join();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldTreatABurstLikeItsRequests(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    byte[] malformed = Pdus.message(3, Pdus.searchOperation("", 9, 0, Pdus.present("a")));
    byte[] burst =
        Pdus.concat(
            Pdus.bind(1, "cn=x", "pw"),
            Pdus.search(2, "dc=example", 5),
            malformed,
            Pdus.search(4, "dc=example", 7));
    for (int i = 0; i < 200; i++) {
      try (TestClient client = connect()) {
        client.send(burst);
        int[] entries = new int[5];
        Set<Integer> ended = new HashSet<>();
        while (ended.size() < 4) {
          TestClient.Response response = client.receive();
          if (response.tag() == LdapTags.SEARCH_RESULT_ENTRY) {
            assertThat(ended).contains(1);
            entries[response.messageId()]++;
          } else {
            assertThat(response.code()).isEqualTo(response.messageId() == 3 ? 2 : 0);
            assertThat(ended.add(response.messageId())).isTrue();
          }
        }
        assertThat(entries).containsExactly(0, 0, 5, 0, 7);
      }
      opened.removeLast();
    }
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldEndWithABurstThatEndsIt(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    for (int i = 0; i < 100; i++) {
      try (TestClient client = connect()) {
        client.send(Pdus.concat(Pdus.search(1, "dc=example", 1_000_000), Pdus.unbind(2)));
        assertThat(client.drain()).isZero();
      }
      opened.removeLast();
      try (TestClient client = connect()) {
        byte[] endless = Pdus.search(1, "dc=example", 1_000_000);
        client.send(Pdus.concat(endless, endless, Pdus.search(2, "dc=example", 1)));
        assertThat(client.drain()).isEqualTo(1);
      }
      opened.removeLast();
    }
    eventually("no connection is open", () -> server.connectionCount() == 0);
    eventually("nothing is in flight", () -> core.strategy().inFlight() == 0);
  }

  @ParameterizedTest
  @FieldSource("STRATEGIES")
  void shouldAbandonWithinABurst(String strategy) throws Exception {
    start(settings(Transport.AUTO, 0, 0), strategy);
    try (TestClient client = connect()) {
      for (int i = 0; i < 100; i++) {
        int id = 3 * i + 1;
        client.send(
            Pdus.concat(
                Pdus.search(id, "dc=example", 1_000_000),
                Pdus.abandon(id + 1, id),
                Pdus.search(id + 2, "dc=example", 1)));
        TestClient.Response response = client.receive();
        while (response.messageId() != id + 2 || response.code() < 0) {
          assertThat(response.tag()).isEqualTo(LdapTags.SEARCH_RESULT_ENTRY);
          response = client.receive();
        }
      }
    }
    eventually("all are abandoned", () -> core.metrics().operationsAbandoned().sum() == 100);
  }

  @Test
  void shouldLetOthersHaveTheirTurnWhileOneClientSendsMuch() throws Exception {
    start();
    byte[] pdus = new byte[0];
    for (int id = 1; id <= 400; id++) {
      pdus = Pdus.concat(pdus, Pdus.search(id, "dc=example", 1));
    }
    try (TestClient client = connect()) {
      client.send(pdus);
      for (int id = 1; id <= 400; id++) {
        assertThat(client.receiveSearch(id)).isEqualTo(1);
      }
    }
    assertThat(directory.searchesInTurn.get()).isBetween(1, 64);
  }

  @Test
  void shouldTellRequestsThatAreFollowedByMoreFromThoseThatAreNot() throws Exception {
    directory.searchesOnLoop = true;
    start();
    byte[] three = new byte[0];
    for (int id = 1; id <= 3; id++) {
      three = Pdus.concat(three, Pdus.search(id, "dc=example", 1));
    }
    try (TestClient client = connect()) {
      client.send(three);
      for (int id = 1; id <= 3; id++) {
        assertThat(client.receiveSearch(id)).isEqualTo(1);
      }
      assertThat(directory.pipelinedSearches).hasValue(2);
      client.send(Pdus.search(4, "dc=example", 1));
      assertThat(client.receiveSearch(4)).isEqualTo(1);
    }
    assertThat(directory.pipelinedSearches).hasValue(2);
  }
}

package org.nyala.loadtest.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.Assertions;
import org.junit.jupiter.api.Test;

class ScramKeyStoreTest {
  private static final SaslLogin ANN = new SaslLogin(Mechanism.SCRAM_SHA_256, "ann", "");

  private static ScramExchange challenged(String rest) throws ScramException {
    ScramExchange exchange = new ScramExchange(ANN, new byte[0]);
    String first = new String(exchange.first(), UTF_8);
    String nonce = first.substring(first.indexOf("r="));
    exchange.challenged((nonce + "x," + rest).getBytes(UTF_8));
    return exchange;
  }

  private static ScramKeys get(CompletableFuture<ScramKeys> keys) throws Exception {
    return keys.get(60, TimeUnit.SECONDS);
  }

  @Test
  void shouldDeriveKeysOnce() throws Exception {
    try (ScramKeyStore store = new ScramKeyStore(ANN.mechanism(), 2, user -> "secret" + user)) {
      ScramExchange exchange = challenged("s=c2FsdA==,i=4096");
      assertThat(store.find(0, exchange)).isNull();
      ScramKeys keys = get(store.derive(0, exchange));
      assertThat(store.find(0, exchange)).isSameAs(keys);
      assertThat(store.find(0, challenged("s=c2FsdA==,i=4096"))).isSameAs(keys);
      assertThat(store.find(1, exchange)).isNull();
      assertThat(store.find(0, challenged("s=c2FsdA==,i=4097"))).isNull();
      assertThat(store.find(0, challenged("s=b3RoZXI=,i=4096"))).isNull();
      assertThat(get(store.derive(1, exchange)).clientKey()).isNotEqualTo(keys.clientKey());
      assertThat(store.take()).isZero();
      assertThat(store.take()).isEqualTo(1);
      assertThat(store.take()).isEqualTo(-1);
      assertThat(store.take()).isEqualTo(-1);
    }
  }

  @Test
  void shouldShareADerivation() throws Exception {
    try (ScramKeyStore store = new ScramKeyStore(ANN.mechanism(), 1, _ -> "secret")) {
      ScramExchange exchange = challenged("s=c2FsdA==,i=1000000");
      CompletableFuture<ScramKeys> first = store.derive(0, exchange);
      assertThat(store.derive(0, exchange)).isSameAs(first);
    }
  }

  /** SASLprep prohibits private characters (RFC 4013, section 2.3). */
  @Test
  void shouldFailWithPasswordsThatAreNone() throws Exception {
    try (ScramKeyStore store = new ScramKeyStore(ANN.mechanism(), 1, _ -> "\ue000")) {
      CompletableFuture<ScramKeys> keys = store.derive(0, challenged("s=c2FsdA==,i=4096"));
      Assertions.assertThatThrownBy(() -> get(keys))
          .isInstanceOf(ExecutionException.class)
          .hasCauseInstanceOf(IllegalArgumentException.class);
    }
  }
}

package org.nyala.loadtest.engine;

import java.util.Objects;
import org.nyala.loadtest.ldap.BerCursor;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.sasl.ScramKeyStore;

/**
 * Binds as people by SCRAM, over and over on one connection. Before the test, all clients together
 * bind as every person once, so that no keys have to be derived while the server is measured.
 *
 * <p>Confined to the channel's event loop.
 */
final class ScramBindClient extends SingleClient implements ScramBind.Owner {
  private static final int NONE = -1;

  private final SaslIdentities identities = loop().identities();
  private final ScramKeyStore keys = Objects.requireNonNull(identities.peopleKeys());
  private final ScramBind bind = new ScramBind(this, keys, loop().eventLoop());
  private final int first = loop().settings().options().values().first();

  /** The person whose keys are derived before the test. */
  private int learned = NONE;

  private boolean hasLearned;
  private String distrust = "";

  ScramBindClient(LoadLoop loop, long seed, LoadConnection connection) {
    super(loop, seed, connection);
  }

  @Override
  void ready(LoadConnection opened) {
    if (hasLearned) {
      startOrGoOn();
    } else {
      learn();
    }
  }

  /** Binds as the next person that nobody has bound as; also once more after a lost connection. */
  private void learn() {
    learned = learned == NONE ? keys.take() : learned;
    hasLearned = learned == NONE;
    if (hasLearned) {
      startOrGoOn();
    } else {
      bind(learned);
    }
  }

  private void bind(int person) {
    bind.begin(person, identities.person(person), connection().channelBinding());
  }

  @Override
  boolean canSend() {
    return hasLearned && super.canSend();
  }

  @Override
  void next() {
    bind(chooseUser() - first);
  }

  @Override
  public void send(byte[] message) {
    connection().send(this, message);
  }

  @Override
  void serverCredentials(BerCursor value) {
    bind.serverCredentials(value);
  }

  @Override
  void result(LoadConnection answering, int tag, int resultCode) {
    if (tag != Pdu.BIND_RESPONSE || hasLearned && !isRunning()) {
      answering.malformed();
    } else {
      bind.answered(resultCode);
    }
  }

  @Override
  public void refused(int resultCode) {
    if (hasLearned) {
      ended(resultCode, true);
    } else {
      fail("the server answered " + ResultNames.of(resultCode));
    }
  }

  @Override
  public void bound() {
    if (hasLearned) {
      ended(0, true);
    } else {
      learned = NONE;
      learn();
    }
  }

  @Override
  public void distrusted(String reason) {
    if (hasLearned) {
      distrust = reason;
      ended(0, false);
    } else {
      fail(reason);
    }
  }

  @Override
  String wrongAnswerInWords() {
    return "a bind by SCRAM was answered by success, but the server is not to be trusted: "
        + distrust;
  }

  private void fail(String reason) {
    loop().setupFailed("bind as " + identities.person(learned).user() + " by SCRAM: " + reason);
  }

  /** Gives the connection up: to the server, another bind would be the second half of this one. */
  @Override
  void forget() {
    bind.drop();
    super.forget();
    connection().breakOff();
  }

  @Override
  void lost(LoadConnection broken) {
    bind.drop();
    super.lost(broken);
  }
}

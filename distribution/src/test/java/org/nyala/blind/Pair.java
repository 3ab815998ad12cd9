package org.nyala.blind;

import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.ldap.protocol.AbandonRequestProtocolOp;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.UnbindRequestProtocolOp;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.nyala.blind.BlindRequests.Asked;
import org.nyala.blind.Twins.Twin;
import org.nyala.process.LocalServer;

/**
 * The connections of one client to both servers.
 *
 * <p>Confined to one thread.
 */
final class Pair implements AutoCloseable {
  private static final Modification PASSWORD =
      new Modification(ModificationType.REPLACE, "userPassword", "secret");

  private final Twins twins;
  private final List<RawClient> clients = new ArrayList<>();
  private int lastId;

  /** Connects, and binds unless the name is empty. */
  Pair(Twins twins, String name) throws IOException {
    this.twins = twins;
    for (Twin each : twins.all()) {
      clients.add(new RawClient(LocalServer.port(each.server())));
    }
    if (!name.isEmpty() && !binds(name)) {
      // A request has changed the password on both.
      twins.all().forEach(each -> Twins.change(each, root -> root.modify(name, PASSWORD)));
      assertThat(binds(name)).as(name).isTrue();
    }
  }

  private boolean binds(String name) throws IOException {
    lastId++;
    Set<Boolean> bound = new HashSet<>();
    for (RawClient each : clients) {
      each.send(new LDAPMessage(lastId, new BindRequestProtocolOp(name, "secret"), List.of()));
      bound.add(Messages.code(each.answer().getLast()) == 0);
    }
    assertThat(bound).as("%s can bind", name).hasSize(1);
    return bound.contains(true);
  }

  RawClient of(Twin twin) {
    return clients.get(twins.all().indexOf(twin));
  }

  /** Sends requests, and returns whether they are answered. */
  boolean send(Function<Twin, Asked> request) throws IOException {
    lastId++;
    boolean isAnswered = true;
    for (Twin twin : twins.all()) {
      Asked asked = request.apply(twin);
      of(twin).send(new LDAPMessage(lastId, asked.operation(), asked.controls()));
      isAnswered =
          !(asked.operation() instanceof AbandonRequestProtocolOp)
              && !(asked.operation() instanceof UnbindRequestProtocolOp);
    }
    return isAnswered;
  }

  /** Returns the answers to requests. */
  List<List<byte[]>> ask(Function<Twin, Asked> request) throws IOException {
    List<List<byte[]>> answers = new ArrayList<>();
    boolean isAnswered = send(request);
    for (RawClient each : clients) {
      answers.add(isAnswered ? each.answer() : List.of());
    }
    return answers;
  }

  int lastId() {
    return lastId;
  }

  @Override
  public void close() throws IOException {
    for (RawClient each : clients) {
      each.close();
    }
  }
}

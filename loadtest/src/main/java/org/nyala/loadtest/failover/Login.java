package org.nyala.loadtest.failover;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.sasl.ScramException;
import org.nyala.loadtest.sasl.ScramExchange;
import org.nyala.loadtest.sasl.ScramUser;
import org.nyala.loadtest.workload.Account;

/** The bind of connections to one server, simply or by SASL. Thread-safe. */
final class Login {
  private static final int SASL_BIND_IN_PROGRESS = 14;

  private final Account account;
  private final @Nullable ScramUser scram;

  Login(Account account) {
    this.account = account;
    this.scram = account.isScram() ? new ScramUser(account.login(), account.password()) : null;
  }

  /**
   * Binds a connection, unless the identity is anonymous.
   *
   * @param url the URL of the server, for messages
   * @throws Server.RefusedException if the server refuses, or does not prove that it knows the user
   * @throws IOException if it does not answer
   */
  void bind(Line line, String url) throws IOException {
    if (account.isAnonymous()) {
      return;
    }
    Line.Answer answer = scram == null ? line.ask(account.bind()) : bind(line, scram, url);
    if (!answer.isSuccess()) {
      throw refused(url, answer.inWords());
    }
  }

  private Line.Answer bind(Line line, ScramUser user, String url) throws IOException {
    String mechanism = account.login().mechanism().label();
    ScramExchange exchange = user.begin(line.channelBinding());
    Line.Answer challenge = line.ask(Pdu.saslBind(mechanism, exchange.first()));
    if (challenge.code() != SASL_BIND_IN_PROGRESS) {
      return challenge;
    }
    try {
      exchange.challenged(challenge.credentials());
      Line.Answer end = line.ask(Pdu.saslBind(mechanism, user.proof(exchange)));
      if (end.isSuccess()) {
        exchange.verify(end.credentials());
      }
      return end;
    } catch (ScramException e) {
      throw refused(url, String.valueOf(e.getMessage()));
    }
  }

  private Server.RefusedException refused(String url, String found) {
    boolean isNamed = account.sasl() != null && !account.login().user().isEmpty();
    String option = account.sasl() == null ? "--bind-dn" : isNamed ? "--user" : "--certificate";
    String who =
        account.sasl() == null
            ? account.dn()
            : isNamed ? account.login().user() : "the certificate";
    return new Server.RefusedException(
        option + ": expected that " + url + " accepts " + who + ", found " + found);
  }
}

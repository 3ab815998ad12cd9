package org.nyala.loadtest.engine;

import java.util.Objects;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.Replay;

/** Makes the clients of jobs. Stateless. */
final class ClientFactory {
  private ClientFactory() {}

  /**
   * Makes a client.
   *
   * @param seed from 1 up, different for every client of a test
   * @param connection the connection of those that need one, which they may share
   */
  static SimulatedClient of(JobKind job, LoadLoop loop, long seed, LoadConnection connection) {
    return switch (job) {
      case SEARCH -> search(loop, seed, connection, loop.templates().search());
      case BASE -> search(loop, seed, connection, loop.templates().base());
      case COMPARE ->
          new PlainClient(loop, seed, connection, loop.templates().compare(), Pdu.COMPARE_RESPONSE);
      case BIND -> bind(loop, seed, connection);
      case AUTHENTICATE -> new AuthenticateClient(loop, seed);
      case CONNECT -> new ConnectClient(loop, seed);
      case TLS_HANDSHAKE -> new HandshakeClient(loop, seed);
      case IDLE -> new IdleClient(loop, seed, connection);
      case SCAN -> scan(loop, seed, connection);
      case FOLLOW -> new FollowClient(loop, seed, connection);
      case MODIFY ->
          new PlainClient(loop, seed, connection, loop.templates().replace(), Pdu.MODIFY_RESPONSE);
      case MODIFY_EACH -> new ModifyEachClient(loop, seed, connection);
      case ADD -> new PlainClient(loop, seed, connection, loop.templates().add(), Pdu.ADD_RESPONSE);
      case PASSWORD_MODIFY -> PairClient.settingPasswords(loop, seed, connection);
      case ADD_DELETE -> PairClient.adding(loop, seed, connection);
      case RENAME -> PairClient.renaming(loop, seed, connection);
      case REFRESH -> new RefreshClient(loop, seed, connection);
      case VLV -> new ListViewClient(loop, seed, false);
      case VLV_OPEN -> new ListViewClient(loop, seed, true);
      case PAGED -> new PagedClient(loop, seed, connection);
      case REPLAY -> replay(loop, seed, connection);
      case MIXED -> new MixedClient(loop, seed, connection);
    };
  }

  private static SimulatedClient bind(LoadLoop loop, long seed, LoadConnection connection) {
    return loop.settings().options().login().isScram()
        ? new ScramBindClient(loop, seed, connection)
        : new PlainClient(loop, seed, connection, loop.templates().personBind(), Pdu.BIND_RESPONSE);
  }

  private static ScanClient scan(LoadLoop loop, long seed, LoadConnection connection) {
    return loop.settings().options().sync().isWanted()
        ? new SyncScanClient(loop, seed, connection)
        : new ScanClient(loop, seed, connection);
  }

  private static ReplayClient replay(LoadLoop loop, long seed, LoadConnection connection) {
    Replay replay = Objects.requireNonNull(loop.settings().options().replay());
    return new ReplayClient(loop, seed, connection, replay);
  }

  private static SearchClient search(
      LoadLoop loop, long seed, LoadConnection connection, Request request) {
    Templates templates = loop.templates();
    boolean findsOne = templates.findsOne() || request == templates.base();
    return new SearchClient(loop, seed, connection, request, findsOne);
  }
}

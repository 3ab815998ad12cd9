package org.nyala.loadtest.engine;

import java.util.Objects;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.Replay;

/** Makes the clients of jobs. Stateless. */
final class Conversations {
  private Conversations() {}

  /**
   * Makes a client.
   *
   * @param seed from 1 up, another one for every client of a test
   * @param connection the connection of those that need one, which they may share
   */
  static Conversation of(JobKind job, LoadLoop loop, long seed, LoadConnection connection) {
    return switch (job) {
      case SEARCH -> search(loop, seed, connection, loop.templates().search());
      case BASE -> search(loop, seed, connection, loop.templates().base());
      case COMPARE -> new CompareConversation(loop, seed, connection);
      case BIND -> new BindConversation(loop, seed, connection);
      case AUTHENTICATE -> new AuthenticateConversation(loop, seed);
      case CONNECT -> new ConnectConversation(loop, seed);
      case IDLE -> new IdleConversation(loop, seed, connection);
      case SCAN -> new ScanConversation(loop, seed, connection);
      case MODIFY -> new ModifyConversation(loop, seed, connection);
      case MODIFY_EACH -> new ModifyEachConversation(loop, seed, connection);
      case ADD_DELETE -> new AddDeleteConversation(loop, seed, connection);
      case RENAME -> new RenameConversation(loop, seed, connection);
      case REFRESH -> new RefreshConversation(loop, seed, connection);
      case VLV -> new ListViewConversation(loop, seed, false);
      case VLV_OPEN -> new ListViewConversation(loop, seed, true);
      case PAGED -> new PagedConversation(loop, seed, connection);
      case REPLAY -> replay(loop, seed, connection);
      case MIXED -> new MixedConversation(loop, seed, connection);
    };
  }

  private static ReplayConversation replay(LoadLoop loop, long seed, LoadConnection connection) {
    Replay replay = Objects.requireNonNull(loop.settings().options().replay());
    return new ReplayConversation(loop, seed, connection, replay);
  }

  private static SearchConversation search(
      LoadLoop loop, long seed, LoadConnection connection, Request request) {
    Templates templates = loop.templates();
    boolean findsOne = templates.findsOne() || request == templates.base();
    return new SearchConversation(loop, seed, connection, request, findsOne);
  }
}

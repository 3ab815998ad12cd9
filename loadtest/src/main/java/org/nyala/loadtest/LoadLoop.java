package org.nyala.loadtest;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.List;

/**
 * The clients of one event loop and what they share.
 *
 * <p>Confined to the channel's event loop, but for the immutable settings and templates.
 */
final class LoadLoop {
  private final LoadSettings settings;
  private final Templates templates;
  private final Bootstrap bootstrap;
  private final EventLoop eventLoop;
  private final LoadProgress progress;
  private final LoopStatistics statistics;
  private final List<Conversation> conversations = new ArrayList<>();

  /**
   * Sets a loop up.
   *
   * @param settings what to do
   * @param templates the requests
   * @param bootstrap opens channels on this loop; used by nobody else
   * @param eventLoop the loop
   * @param progress what the coordinating thread waits for
   */
  LoadLoop(
      LoadSettings settings,
      Templates templates,
      Bootstrap bootstrap,
      EventLoop eventLoop,
      LoadProgress progress) {
    this.settings = settings;
    this.templates = templates;
    this.bootstrap = bootstrap;
    this.eventLoop = eventLoop;
    this.progress = progress;
    this.statistics = new LoopStatistics(settings.pace().isOpen());
  }

  /** Adds a client and lets it open its standing connections. */
  void addClient(long seed) {
    Conversation conversation =
        switch (settings.job()) {
          case SEARCH -> new SearchConversation(this, seed);
          case BIND -> new BindConversation(this, seed);
          case AUTHENTICATE -> new AuthenticateConversation(this, seed);
          case CONNECT -> new ConnectConversation(this, seed);
          case SCAN -> new ScanConversation(this, seed);
          case MODIFY -> new ModifyConversation(this, seed);
          case MODIFY_EACH -> new ModifyEachConversation(this, seed);
          case ADD_DELETE -> new AddDeleteConversation(this, seed);
          case RENAME -> new RenameConversation(this, seed);
          case VLV -> new ListViewConversation(this, seed, false);
          case VLV_OPEN -> new ListViewConversation(this, seed, true);
          case PAGED -> new PagedConversation(this, seed);
        };
    conversations.add(conversation);
    conversation.prepare();
  }

  /** Lets all clients start, and counts from {@code startNanos} to {@code endNanos}. */
  void begin(long startNanos, long endNanos) {
    statistics.measureBetween(startNanos, endNanos);
    conversations.forEach(Conversation::begin);
  }

  /** Ends the clients that still wait for an answer. */
  void giveUp() {
    conversations.forEach(Conversation::giveUp);
  }

  /** Opens a connection's channel; it hears of it by its handler methods. */
  void open(LoadConnection connection) {
    ChannelFuture opening = bootstrap.handler(connection).connect(settings.server());
    opening.addListener(
        future -> {
          if (!future.isSuccess()) {
            connection.openFailed();
          }
        });
  }

  LoadSettings settings() {
    return settings;
  }

  Templates templates() {
    return templates;
  }

  EventLoop eventLoop() {
    return eventLoop;
  }

  LoopStatistics statistics() {
    return statistics;
  }

  boolean hasServiceBind() {
    return !settings.bindDn().isEmpty();
  }

  /** A client has its standing connections. */
  void ready() {
    progress.clientReady();
  }

  /** A client has no more work. */
  void clientWorked() {
    progress.clientWorked();
  }

  /** A client ended. */
  void clientEnded() {
    progress.clientEnded();
  }

  /** A connection could not be set up; ends the test when it has not begun yet. */
  void setupFailed(String reason) {
    progress.setupFailed(reason);
  }

  /** This program failed. */
  void broken(Throwable cause) {
    progress.broken(cause);
  }

  /** The next user that no client has taken yet; -1 where there is none. */
  int takeUser() {
    return progress.takeUser(settings.users());
  }

  /** Whether a whole scan may have this many entries: the people at least, and always the same. */
  boolean isSizeOfDirectory(long entries) {
    return entries >= settings.users() && progress.isSizeOfDirectory(entries);
  }
}

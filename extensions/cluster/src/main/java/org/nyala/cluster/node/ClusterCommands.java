package org.nyala.cluster.node;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.nyala.cluster.LogPosition;
import org.nyala.cluster.ReplicatedBackend;
import org.nyala.cluster.join.Joiner;
import org.nyala.cluster.raft.RaftException;
import org.nyala.cluster.raft.RaftMember;
import org.nyala.core.backend.ChangeJournal;
import org.nyala.core.backend.ContextHistory;
import org.nyala.core.backend.CsnVector;
import org.nyala.core.backend.LogMark;
import org.nyala.core.backend.WriteTransaction;
import org.nyala.core.dn.Dn;
import org.nyala.core.message.LdapOperationException;
import org.nyala.core.message.LdapResult;
import org.nyala.core.message.ResultCode;
import org.nyala.core.update.Update;
import org.nyala.core.update.UpdateContext;

/** The actions of the command on a running server. Thread-safe. */
final class ClusterCommands {
  /** The arguments of the command. */
  static final String USAGE =
      "status | init | "
          + Joiner.USAGE
          + " | "
          + Forming.USAGE
          + " | remove MEMBER | transfer [MEMBER] | drain";

  private static final Duration MEMBERS_TIMEOUT = Duration.ofSeconds(60);

  private final Cluster own;

  ClusterCommands(Cluster own) {
    this.own = own;
  }

  /** Runs an action; returns its exit code. */
  int run(List<String> arguments, PrintWriter out) {
    String action = arguments.isEmpty() ? "status" : arguments.getFirst();
    List<String> rest = arguments.isEmpty() ? List.of() : arguments.subList(1, arguments.size());
    try {
      return switch (action) {
        case "status" -> status(rest, out);
        case "init" -> init(rest, out);
        case "join" -> join(rest, out);
        case "form" -> own.forming().run(rest, out);
        case "remove" -> remove(id(only(rest, "the id of a member"), "member"), out);
        case "transfer" -> transfer(rest, out);
        case "drain" -> drain(rest, out);
        default ->
            throw new IllegalArgumentException("'" + action + "' is no action: expected " + USAGE);
      };
    } catch (IOException e) {
      throw new IllegalStateException(e.getMessage(), e);
    }
  }

  private static void requireNone(List<String> words) {
    if (!words.isEmpty()) {
      throw new IllegalArgumentException("'" + words.getFirst() + "' is one argument too many");
    }
  }

  private static String only(List<String> words, String expected) {
    if (words.size() != 1) {
      throw new IllegalArgumentException(
          "expected " + expected + "; found " + words.size() + " arguments");
    }
    return words.getFirst();
  }

  private static UUID id(String text, String what) {
    try {
      return UUID.fromString(text);
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException(
          "expected the id of a " + what + ", 36 characters as status shows it; found " + text, e);
    }
  }

  private int status(List<String> words, PrintWriter out) {
    requireNone(words);
    RaftMember running = own.log();
    ReplicatedBackend mine = own.requireStore();
    if (running == null) {
      out.println("this server belongs to no cluster yet: nyala cluster init, or join");
      return 1;
    }
    MemberReport report = MemberReport.of(running, mine);
    report.lines().forEach(out::println);
    String unfit = own.unfit();
    if (unfit != null) {
      out.println("unfit     " + unfit);
    }
    return report.isWorking() ? 0 : 1;
  }

  synchronized int init(List<String> words, PrintWriter out) throws IOException {
    requireNone(words);
    requireNoMember();
    UUID cluster = UUID.randomUUID();
    LogPosition from = own.requireStore().position();
    boolean isOther = !from.equals(LogPosition.NONE);
    if (!isOther) {
      from = new LogPosition(1, 0);
      // Two clusters never have a history in common, whatever their data are.
      own.requireStore().found(new LogMark(from.term(), from.index(), digest(cluster)));
    }
    RaftMember.found(own.folder(), cluster, from);
    own.start();
    begin(isOther);
    out.println("cluster " + cluster + " has this server as its only member");
    out.println(
        "on each further server: nyala cluster join "
            + own.joining().address(own.requireLog().id()).authority());
    return 0;
  }

  /**
   * Makes the first entry: a copy of the store is to have a place that the log has as an entry, not
   * the one before it.
   *
   * @param isOther whether the data come from another cluster, which may have gone on without them
   */
  private void begin(boolean isOther) {
    FirstEntry first = new FirstEntry(isOther);
    try {
      LogPosition led =
          own.requireLog()
              .barrier()
              .toCompletableFuture()
              .get(own.terms().answerSeconds(), TimeUnit.SECONDS);
      own.requireStore()
          .reaching(led)
          .toCompletableFuture()
          .get(own.terms().answerSeconds(), TimeUnit.SECONDS);
      own.requireDirectory().runtime().writers().submit(own.requireStore(), first);
      LdapResult made = first.answer.get(own.terms().answerSeconds(), TimeUnit.SECONDS);
      if (made.code() != ResultCode.SUCCESS) {
        throw new IllegalStateException(made.message());
      }
    } catch (LdapOperationException | ExecutionException | TimeoutException e) {
      throw new IllegalStateException(
          "the cluster is made, and takes no changes yet: see nyala cluster status", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("the wait for the first change was interrupted", e);
    }
  }

  private synchronized int join(List<String> words, PrintWriter out) throws IOException {
    List<String> left = new ArrayList<>(words);
    boolean replaces = left.remove("--replace");
    UUID instead = null;
    int option = left.indexOf("--instead-of");
    if (option >= 0) {
      instead =
          id(option + 1 < left.size() ? left.get(option + 1) : "nothing", "member to be replaced");
      left.subList(option, option + 2).clear();
    }
    InetSocketAddress asked =
        ClusterSource.address(only(left, "HOST:PORT, the address of a member for members"));
    new Joiner(own.joining(), asked.getHostString(), asked.getPort()).run(replaces, instead, out);
    return 0;
  }

  int remove(UUID member, PrintWriter out) throws RaftException {
    own.requireLog().remove(member, MEMBERS_TIMEOUT);
    out.println(member + " is no member any more: stop it, and delete its folder cluster");
    return 0;
  }

  private int transfer(List<String> words, PrintWriter out) throws RaftException {
    UUID to = words.isEmpty() ? null : id(only(words, "the id of a member"), "member");
    own.requireLog().transfer(to);
    out.println("another member leads");
    return 0;
  }

  /** Prepares a planned stop: another member leads, and clients go elsewhere. */
  private int drain(List<String> words, PrintWriter out) throws RaftException {
    requireNone(words);
    RaftMember running = own.requireLog();
    // First, so that load balancers send nobody here who would be sent on.
    own.leave();
    if (own.requireStore().failure() == null) {
      out.println(Retreat.run(running) ? "another member leads" : "this member does not lead");
    }
    return 0;
  }

  /**
   * The update that notes once more what histories the store has, or other ones. Thread-safe: only
   * its answer changes.
   */
  static final class FirstEntry implements Update {
    private final boolean isOther;
    final CompletableFuture<LdapResult> answer = new CompletableFuture<>();

    FirstEntry(boolean isOther) {
      this.isOther = isOther;
    }

    @Override
    public LdapResult apply(UpdateContext context) {
      WriteTransaction transaction = context.transaction();
      for (Dn suffix : context.backend().namingContexts()) {
        ContextHistory known = transaction.history(suffix);
        if (known != null) {
          transaction.note(suffix, isOther ? other(transaction, suffix, known) : known);
        }
      }
      context.touch();
      return LdapResult.SUCCESS;
    }

    private static ContextHistory other(
        WriteTransaction transaction, Dn suffix, ContextHistory known) {
      try (ChangeJournal journal = transaction.journal(suffix)) {
        CsnVector present = journal == null ? CsnVector.EMPTY : journal.present();
        return ContextHistory.restored(known, present, Instant.now());
      }
    }

    @Override
    public void answer(LdapResult result) {
      answer.complete(result);
    }
  }

  private void requireNoMember() {
    RaftMember running = own.log();
    if (running != null) {
      throw new IllegalStateException(
          "this server is a member of the cluster " + running.cluster() + " already");
    }
  }

  private static String digest(UUID cluster) {
    try {
      return HexFormat.of()
          .formatHex(
              MessageDigest.getInstance("SHA-256").digest(cluster.toString().getBytes(UTF_8)));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}

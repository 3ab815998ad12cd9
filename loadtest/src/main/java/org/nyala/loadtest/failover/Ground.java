package org.nyala.loadtest.failover;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.nyala.loadtest.ldap.ResultNames;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * The entries of a test at its servers: they are made before it, read after it, and removed.
 * Confined to the thread that runs the test.
 */
final class Ground {
  private static final int NO_SUCH_OBJECT = 32;
  private static final long POLL_NANOS = 20_000_000;
  private static final double NANOS = 1e9;

  private final List<Server> servers;
  private final Tree tree;
  private final int registers;
  private final double settleSeconds;

  /**
   * Describes entries.
   *
   * @param registers the number of entries that are made
   * @param settleSeconds how long servers may take to get them
   */
  Ground(List<Server> servers, Tree tree, int registers, double settleSeconds) {
    this.servers = List.copyOf(servers);
    this.tree = tree;
    this.registers = registers;
    this.settleSeconds = settleSeconds;
  }

  /**
   * Adds the entries at the first server that takes them, and waits until all servers have them.
   *
   * @return the server that took them
   * @throws LoadTestException if an entry of the name is there, or a server does not take part
   */
  Server create(PrintWriter progress) throws LoadTestException, InterruptedException {
    List<String> refusals = new ArrayList<>();
    for (Server server : servers) {
      try (Line line = server.open()) {
        if (line.ask(tree.readBase()).code() == 0) {
          throw new LoadTestException(
              "--base: expected an entry that is not there, so that the test can create it; found "
                  + tree.base()
                  + " at "
                  + server.url());
        }
      } catch (IOException e) {
        throw new LoadTestException(unreachable(server, e));
      }
    }
    for (Server server : servers) {
      try (Line line = server.open()) {
        Line.Answer answer = line.ask(tree.addBase());
        if (answer.isSuccess()) {
          progress.println("writes begin at " + server.url());
          prepare(server, line);
          return server;
        }
        refusals.add(server.url() + " answers " + answer.inWords());
      } catch (IOException e) {
        throw new LoadTestException(unreachable(server, e));
      }
    }
    throw new LoadTestException(
        "--base: expected that one of the servers adds "
            + tree.base()
            + "; "
            + String.join("; ", refusals));
  }

  private void prepare(Server server, Line line)
      throws IOException, LoadTestException, InterruptedException {
    boolean isReady = false;
    try {
      addRegisters(server, line);
      awaitCopies(server);
      isReady = true;
    } finally {
      if (!isReady) {
        remove(registers);
      }
    }
  }

  private static String unreachable(Server server, IOException e) {
    return e instanceof Server.RefusedException
        ? String.valueOf(e.getMessage())
        : "--url: expected a server that answers at the beginning, found none at "
            + server.url()
            + " ("
            + e.getMessage()
            + ")";
  }

  private void addRegisters(Server server, Line line) throws IOException, LoadTestException {
    for (int register = 0; register < registers; register++) {
      Line.Answer answer = line.ask(tree.add(register, 0));
      if (!answer.isSuccess()) {
        throw new LoadTestException(
            "--base: expected that "
                + server.url()
                + " adds "
                + tree.dn(register)
                + ", found "
                + answer.inWords());
      }
    }
  }

  private void awaitCopies(Server origin) throws LoadTestException, InterruptedException {
    long limit = System.nanoTime() + (long) (settleSeconds * NANOS);
    for (Server server : servers) {
      String found = missing(server);
      while (!found.isEmpty()) {
        if (System.nanoTime() - limit > 0) {
          throw new LoadTestException(
              "--url: expected that "
                  + server.url()
                  + " gets what was added at "
                  + origin.url()
                  + " within --settle-seconds "
                  + settleSeconds
                  + ", found "
                  + found);
        }
        pause(POLL_NANOS);
        found = missing(server);
      }
    }
  }

  private String missing(Server server) {
    try (Line line = server.open()) {
      Line.Answer base = line.ask(tree.readBase());
      if (!base.isSuccess()) {
        return base.inWords();
      }
      for (int register = 0; register < registers; register++) {
        int[] number = {Operations.ABSENT};
        line.ask(tree.read(register), (_, found) -> number[0] = Tree.state(found).number());
        if (number[0] != 0) {
          return "no " + tree.dn(register);
        }
      }
      return "";
    } catch (IOException e) {
      return "no answer";
    }
  }

  /**
   * Reads the entries of a server; null if it does not answer.
   *
   * @param bound a number greater than those of all entries
   */
  @Nullable Contents scan(Server server, int bound) {
    Contents contents = new Contents();
    try (Line line = server.open()) {
      Line.Answer end =
          line.ask(
              tree.scan(),
              (dn, attributes) -> {
                int entry = Tree.entry(dn);
                if (entry >= 0) {
                  Tree.State state = Tree.state(attributes);
                  contents.put(entry, state.number(), state.text());
                }
              });
      if (end.isSuccess()) {
        return contents;
      }
      return end.code() == NO_SUCH_OBJECT ? contents : one(line, bound);
    } catch (IOException _) {
      return null;
    }
  }

  /** Reads entry by entry from a server that does not return so many at once. */
  private Contents one(Line line, int bound) throws IOException {
    Contents contents = new Contents();
    for (int entry = 0; entry < bound; entry++) {
      int place = entry;
      line.ask(
          tree.read(entry),
          (_, attributes) -> {
            Tree.State state = Tree.state(attributes);
            contents.put(place, state.number(), state.text());
          });
    }
    return contents;
  }

  /**
   * Deletes the entries at the first server that takes it.
   *
   * @return what could not be done, in a sentence; empty if all was
   */
  String remove(int bound) {
    List<String> left = new ArrayList<>();
    for (Server server : servers) {
      try (Line line = server.open()) {
        Contents contents = scan(server, bound);
        for (int entry = 0; contents != null && entry < contents.bound(); entry++) {
          if (contents.number(entry) != Operations.ABSENT) {
            line.ask(tree.delete(entry));
          }
        }
        int code = line.ask(tree.deleteBase()).code();
        if (code == 0) {
          return "";
        }
        left.add(server.url() + " answers " + ResultNames.of(code));
      } catch (IOException _) {
        left.add(server.url() + " does not answer");
      }
    }
    return "The entry " + tree.base() + " was not removed: " + String.join("; ", left) + '.';
  }

  /** Waits. */
  static void pause(long nanos) throws InterruptedException {
    LockSupport.parkNanos(nanos);
    if (Thread.interrupted()) {
      throw new InterruptedException();
    }
  }
}

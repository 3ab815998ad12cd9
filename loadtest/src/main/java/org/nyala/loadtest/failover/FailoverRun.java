package org.nyala.loadtest.failover;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.nyala.loadtest.failover.Operations.Kind;
import org.nyala.loadtest.failover.Operations.Outcome;
import org.nyala.loadtest.workload.LoadTestException;

/**
 * A test: the entry is made, clients read and write while faults happen, and what the servers have
 * at the end is read. Confined to the thread that runs it.
 */
final class FailoverRun {
  private static final long POLL_NANOS = 100_000_000;
  private static final double NANOS = 1e9;

  private final FailoverSettings settings;
  private final List<Server> servers;
  private final Tree tree;
  private final PrintWriter progress;
  private final BufferedReader keys;
  private final History history;
  private final Ground ground;
  private final List<Client> clients = new ArrayList<>();

  /**
   * Prepares a test.
   *
   * @param progress takes lines about the progress
   * @param keys tells when a fault has been caused by hand
   */
  FailoverRun(FailoverSettings settings, PrintWriter progress, BufferedReader keys) {
    this.settings = settings;
    this.servers = settings.servers();
    this.tree = settings.tree();
    this.progress = progress;
    this.keys = keys;
    this.history = new History(servers.stream().map(Server::url).toList(), settings.registers());
    this.ground = new Ground(servers, tree, settings.registers(), settings.settleSeconds());
  }

  /** Runs the test, and removes what it has made unless that is to be kept. */
  History run() throws LoadTestException, InterruptedException {
    Server first = ground.create(progress);
    for (int register = 0; register < settings.registers(); register++) {
      history.operations().begin(Kind.ADD, first.place(), register, 0, 0);
      history.operations().end(0, Outcome.DONE, 0);
    }
    try {
      Course course = load();
      if (course.isFull()) {
        history
            .notes()
            .add(
                "The load ended early, as --history-operations "
                    + settings.mostOperations()
                    + " were recorded.");
      }
      settle();
    } finally {
      if (!settings.isKept()) {
        progress.println("removing " + tree.base());
        String left = ground.remove(history.entries());
        if (!left.isEmpty()) {
          history.notes().add(left);
        }
      }
    }
    return history;
  }

  private Course load() throws InterruptedException, LoadTestException {
    Course course =
        new Course(settings.registers(), settings.mostOperations(), settings.mostChanges());
    long length = (long) (settings.seconds() * NANOS);
    course.endAt(length);
    List<Future<?>> work = new ArrayList<>();
    List<Future<?>> causes = new ArrayList<>();
    try (ExecutorService threads =
        Executors.newCachedThreadPool(Thread.ofPlatform().name("failover-", 0).factory())) {
      for (Runnable client : clients(course)) {
        work.add(threads.submit(client));
      }
      for (Fault fault : settings.faults()) {
        causes.add(threads.submit(() -> cause(fault, course)));
      }
      while (course.isOpen() && work.stream().noneMatch(Future::isDone)) {
        course.await(course.nanos() + POLL_NANOS);
      }
      course.endAt(course.nanos());
      threads.shutdown();
      for (Future<?> client : work) {
        client.get();
      }
      // A command may go on for longer.
      history.settled(course.nanos() / NANOS, -1);
      for (Future<?> cause : causes) {
        cause.get();
      }
    } catch (ExecutionException e) {
      throw new LoadTestException("a client failed: " + e.getCause());
    }
    clients.forEach(client -> history.operations().take(client.record()));
    return course;
  }

  private List<Runnable> clients(Course course) {
    Random seeds = new Random(settings.seed());
    List<Runnable> all = new ArrayList<>();
    for (int i = 0; i < settings.writers(); i++) {
      Client client = new Client(course, tree, servers.getFirst());
      clients.add(client);
      all.add(
          new Writer(
              course,
              client,
              servers,
              tree,
              settings.registers(),
              new Random(seeds.nextLong()),
              settings.writeNanos()));
    }
    for (Server server : servers) {
      for (int i = 0; i < settings.readers() && settings.registers() > 0; i++) {
        Client client = new Client(course, tree, server);
        clients.add(client);
        all.add(
            new Reader(
                course,
                client,
                settings.registers(),
                new Random(seeds.nextLong()),
                settings.readNanos()));
      }
    }
    return all;
  }

  private void cause(Fault fault, Course course) {
    try {
      if (fault.kind() == Fault.Kind.MANUAL) {
        progress.println("cause the fault now, and press Enter at the same time");
        while (!keys.ready() && course.isOpen()) {
          course.await(course.nanos() + POLL_NANOS / 10);
        }
        if (!keys.ready() || keys.readLine() == null) {
          synchronized (history) {
            history
                .notes()
                .add("--fault manual: Enter was not pressed before the end of the load.");
          }
          return;
        }
      } else {
        course.await(fault.afterNanos());
        if (!course.isOpen()) {
          return;
        }
      }
      History.FaultEvent event = fault.cause(course);
      progress.println(
          event.text() + (event.result().isEmpty() ? "" : " (" + event.result() + ")"));
      note(event);
    } catch (IOException | IllegalArgumentException e) {
      progress.println(e.getMessage());
      note(
          new History.FaultEvent(
              fault.shortText(), course.nanos(), course.nanos(), "failed: " + e.getMessage()));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void note(History.FaultEvent event) {
    synchronized (history) {
      history.faults().add(event);
    }
  }

  /**
   * Waits until all servers that answer have every acknowledged change and the same: a copy may go
   * on with what a server had sent it before that server failed.
   */
  private void settle() throws InterruptedException {
    long start = System.nanoTime();
    long limit = start + (long) (settings.settleSeconds() * NANOS);
    progress.println("looking for what was acknowledged");
    long pause = POLL_NANOS;
    while (true) {
      List<Contents> found = scan();
      history.index();
      boolean isRight = !found.isEmpty() && FinalCheck.of(history).findings().isEmpty();
      if (isRight || System.nanoTime() - limit > 0) {
        double seconds = (System.nanoTime() - start) / NANOS;
        history.settled(history.seconds(), isRight ? seconds : -1);
        return;
      }
      Ground.pause(pause);
      pause = Math.min(pause * 2, 10 * POLL_NANOS);
    }
  }

  /** Reads what servers have; those that do not answer have nothing. */
  private List<Contents> scan() {
    List<Contents> found = new ArrayList<>();
    int bound = history.entries();
    for (Server server : servers) {
      Contents now = ground.scan(server, bound);
      history.contents(server.place(), now);
      if (now != null) {
        found.add(now);
      }
    }
    return found;
  }
}

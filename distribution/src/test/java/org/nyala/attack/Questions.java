package org.nyala.attack;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;
import org.nyala.attack.Requests.Search;
import org.nyala.attack.Watcher.Question;

/** Questions to an attacked server, and the time that their answers take. */
final class Questions {
  private static final int PATIENCE_MILLIS = 10_000;
  private static final long PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(PATIENCE_MILLIS);
  private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
  private static final long BEFORE_CANCEL_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
  private static final int BIND_ID = 1;
  private static final int SEARCH_ID = 2;
  private static final int CANCEL_ID = 3;
  private static final int INDEXED_ID = 4;
  private static final int ABANDON_ID = 5;
  private static final int BUSY = 51;
  private static final int CANCELED = 118;
  private static final int INVALID_CREDENTIALS = 49;

  private final int port;
  private final int people;
  private final ToIntFunction<String> executing;

  /**
   * Describes the server.
   *
   * @param people the number of people in the sample
   * @param executing returns the operations under way of the connection of a client
   */
  Questions(int port, int people, ToIntFunction<String> executing) {
    this.port = port;
    this.people = people;
    this.executing = executing;
  }

  /** A connection that is reopened when it is lost. Confined to one thread, except for close. */
  private abstract class Connected implements Question {
    private final String from;
    private final @Nullable Login login;
    private volatile @Nullable Wire wire;

    Connected(String from, @Nullable Login login) {
      this.from = from;
      this.login = login;
    }

    /**
     * Asks on the connection.
     *
     * @param begun when it was connected, if it had not been before
     */
    abstract long ask(Wire wire, long begun) throws IOException;

    @Override
    public final long ask() throws IOException {
      long begun = System.nanoTime();
      Wire open = wire;
      if (open == null) {
        open = new Wire(from, port);
        open.timeout(PATIENCE_MILLIS);
        wire = open;
        if (login != null) {
          expect(open, Requests.bind(BIND_ID, login.dn(), login.password()), 0);
        }
      }
      try {
        return ask(open, begun);
      } catch (IOException e) {
        close();
        throw e;
      }
    }

    @Override
    public final void close() {
      Wire open = wire;
      if (open != null) {
        open.close();
        wire = null;
      }
    }
  }

  private static Wire.Result expect(Wire wire, byte[] request, int code) throws IOException {
    wire.send(request);
    Wire.Result result = wire.read();
    if (result.code() != code) {
      throw new IOException("result " + result.code());
    }
    return result;
  }

  private byte[] indexedSearch(int id) {
    int person = ThreadLocalRandom.current().nextInt(people);
    return Search.of(Login.SUFFIX, Requests.SUBTREE, Requests.equal("uid", "user." + person))
        .message(id, "mail");
  }

  private void search(Wire wire) throws IOException {
    if (expect(wire, indexedSearch(SEARCH_ID), 0).entries() != 1) {
      throw new IOException("not found");
    }
  }

  /** An indexed search for one person. */
  Question neighbour(String from, @Nullable Login login) {
    return new Connected(from, login) {
      @Override
      long ask(Wire wire, long begun) throws IOException {
        long start = System.nanoTime();
        search(wire);
        return System.nanoTime() - start;
      }
    };
  }

  /** The same on a new connection. */
  Question newcomer(String from, @Nullable Login login) {
    return new Connected(from, login) {
      @Override
      long ask(Wire wire, long begun) throws IOException {
        search(wire);
        close();
        return System.nanoTime() - begun;
      }
    };
  }

  /** A login with a slow hash, which is rejected. */
  Question login(String from) {
    Login slow = Login.hostile("slow");
    byte[] bind = Requests.bind(BIND_ID, slow.dn(), slow.password());
    return new Connected(from, null) {
      @Override
      long ask(Wire wire, long begun) throws IOException {
        long start = System.nanoTime();
        expect(wire, bind, INVALID_CREDENTIALS);
        return System.nanoTime() - start;
      }
    };
  }

  /**
   * The time for which a search runs beyond the second that it may, and beyond the time that an
   * indexed search takes at that moment on the same connection. The second begins when the server
   * has the request: when it answers another one that was sent right behind it.
   */
  Question timeLimit(String from, @Nullable Login login, Search search) {
    byte[] message = search.withTimeLimit(1).message(SEARCH_ID, "member");
    return new Connected(from, login) {
      @Override
      public long pauseNanos() {
        return SECOND;
      }

      @Override
      long ask(Wire wire, long begun) throws IOException {
        wire.send(message);
        wire.send(indexedSearch(INDEXED_ID));
        int ended = awaitIndexed(wire);
        LockSupport.parkNanos(SECOND);
        return laterThanIndexed(wire, 2 - ended);
      }
    };
  }

  /** The time for which a cancelled search runs on, likewise. */
  Question cancel(String from, @Nullable Login login, Search search) {
    byte[] message = search.message(SEARCH_ID, "member");
    return new Connected(from, login) {
      @Override
      public long pauseNanos() {
        return BEFORE_CANCEL_NANOS;
      }

      @Override
      long ask(Wire wire, long begun) throws IOException {
        wire.send(message);
        LockSupport.parkNanos(BEFORE_CANCEL_NANOS);
        wire.send(Requests.cancel(CANCEL_ID, SEARCH_ID));
        return laterThanIndexed(wire, 3);
      }
    };
  }

  /**
   * The time for which a search goes on that was abandoned, likewise. It has no answer, so that JMX
   * is asked again and again whether it is under way: the result is the time at which this was
   * asked last while it still was, and too short by the time to ask.
   */
  Question abandon(String from, @Nullable Login login, Search search) {
    byte[] message = search.message(SEARCH_ID, "member");
    return new Connected(from, login) {
      @Override
      public long pauseNanos() {
        return BEFORE_CANCEL_NANOS;
      }

      @Override
      long ask(Wire wire, long begun) throws IOException {
        wire.send(message);
        LockSupport.parkNanos(BEFORE_CANCEL_NANOS);
        wire.send(Requests.abandon(ABANDON_ID, SEARCH_ID));
        wire.send(indexedSearch(INDEXED_ID));
        awaitIndexed(wire);
        long indexed = System.nanoTime();
        return runsUntil(wire.local(), indexed) - indexed;
      }
    };
  }

  /**
   * Reads up to the answer of the indexed search.
   *
   * @return the number of other searches that have ended before, as on a machine that is busy
   */
  private static int awaitIndexed(Wire wire) throws IOException {
    Wire.Result result = wire.read();
    int ended = 0;
    while (result.id() != INDEXED_ID && result.code() != BUSY) {
      result = wire.read();
      ended++;
    }
    if (result.code() != 0) {
      throw new IOException("result " + result.code());
    }
    return ended;
  }

  /** Returns the last time from which on the connection of a client had something under way. */
  private long runsUntil(String client, long fromNanos) throws IOException {
    long seenNanos = fromNanos;
    long askedNanos = System.nanoTime();
    int underWay = executing.applyAsInt(client);
    while (underWay != 0) {
      if (underWay < 0) {
        throw new IOException("not listed");
      }
      seenNanos = askedNanos;
      askedNanos = System.nanoTime();
      if (askedNanos - fromNanos > PATIENCE_NANOS) {
        throw new IOException("not ended");
      }
      underWay = executing.applyAsInt(client);
    }
    return seenNanos;
  }

  /**
   * Asks for an indexed search, and returns how much later than its answer a search ends that
   * should have ended before it; 0 if it ends earlier.
   *
   * @param operations the number of operations that end, these included
   */
  private long laterThanIndexed(Wire wire, int operations) throws IOException {
    wire.send(indexedSearch(INDEXED_ID));
    long indexed = 0;
    long ended = 0;
    for (int i = 0; i < operations; i++) {
      Wire.Result result = wire.read();
      int id = result.id();
      if (result.code() == BUSY) {
        throw new IOException("result " + result.code());
      }
      if (id == INDEXED_ID) {
        indexed = System.nanoTime();
      } else if (id == SEARCH_ID) {
        ended = System.nanoTime();
      }
    }
    return Math.max(0, ended - indexed);
  }

  /** A persistent search of the administrator, which is accepted and cancelled. */
  Question standingSearch(String from) {
    byte[] message = Attacks.persistent(SEARCH_ID, Requests.present("objectClass"));
    return new Connected(from, Login.ROOT) {
      @Override
      public long pauseNanos() {
        return BEFORE_CANCEL_NANOS;
      }

      @Override
      long ask(Wire wire, long begun) throws IOException {
        wire.send(message);
        LockSupport.parkNanos(BEFORE_CANCEL_NANOS);
        long start = System.nanoTime();
        wire.send(Requests.cancel(CANCEL_ID, SEARCH_ID));
        for (int i = 0; i < 2; i++) {
          Wire.Result result = wire.read();
          if (result.id() == SEARCH_ID && result.code() != CANCELED) {
            throw new IOException("result " + result.code());
          }
        }
        return System.nanoTime() - start;
      }
    };
  }

  /** The time for which this process is prevented from running, which is not the server's fault. */
  static Question ownPauses() {
    long nanos = TimeUnit.MILLISECONDS.toNanos(5);
    return () -> {
      long start = System.nanoTime();
      LockSupport.parkNanos(nanos);
      return System.nanoTime() - start - nanos;
    };
  }

  /** The management port's answer that the server is alive. */
  static Question live(int httpPort) {
    HttpClient http = HttpClient.newHttpClient();
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + httpPort + "/live"))
            .timeout(Duration.ofMillis(PATIENCE_MILLIS))
            .build();
    return () -> {
      long start = System.nanoTime();
      HttpResponse<String> response = http.send(request, HttpResponse.BodyHandlers.ofString());
      if (response.statusCode() != 200) {
        throw new IOException("status " + response.statusCode());
      }
      return System.nanoTime() - start;
    };
  }
}

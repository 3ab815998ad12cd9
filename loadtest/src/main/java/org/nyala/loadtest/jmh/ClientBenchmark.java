package org.nyala.loadtest.jmh;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.nyala.loadtest.engine.EntryCheck;
import org.nyala.loadtest.engine.Templates;
import org.nyala.loadtest.ldap.Pdu;
import org.nyala.loadtest.ldap.Request;
import org.nyala.loadtest.ldap.ResponseScanner;
import org.nyala.loadtest.result.LoopStatistics;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.TestDuration;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * The cost of a search for the load tester itself, without sockets: writing the request, finding
 * and checking the answer, counting its time. Confined to the benchmark's thread.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ClientBenchmark {
  private static final int USER = 12_345;
  private static final String UID = "user." + USER;
  private static final int SAMPLE_NANOS = 123_456;

  private final LoadSettings settings =
      new LoadSettings(
          JobKind.SEARCH,
          new InetSocketAddress(InetAddress.getLoopbackAddress(), 1),
          1,
          1,
          TestDuration.of(1, 0),
          People.of(100_000),
          Account.ANONYMOUS,
          0,
          JobOptions.DEFAULT);
  private final Request search = Templates.of(settings).search();
  private final ByteBuf request = Unpooled.directBuffer(1024);
  private final ByteBuf answer = Unpooled.directBuffer(1024).writeBytes(answer());
  private final EntryCheck check = new EntryCheck(settings);
  private final LoopStatistics statistics = new LoopStatistics(true);
  private final Finder likely = new Finder(false);
  private final Finder right = new Finder(true);
  private final ResponseScanner likelyScanner = new ResponseScanner(likely);
  private final ResponseScanner rightScanner = new ResponseScanner(right);
  private int messageId = Pdu.FIRST_MESSAGE_ID;

  /** Counts the right entries. */
  private final class Finder implements ResponseScanner.Listener {
    private final boolean isSample;
    private int found;

    Finder(boolean isSample) {
      this.isSample = isSample;
    }

    @Override
    public boolean expects(int id) {
      return id == Pdu.FIRST_MESSAGE_ID;
    }

    @Override
    public void entry(ByteBuf in, int dnStart, int dnEnd, int start, int end) {
      boolean isFound =
          isSample
              ? check.isRight(in, dnStart, dnEnd, start, end, USER)
              : check.isLikely(in, dnStart, dnEnd, start, end, USER);
      found += isFound ? 1 : 0;
    }

    @Override
    public void result(int id, int tag, int resultCode) {}
  }

  /** Measures from an hour ago to in an hour. */
  public ClientBenchmark() {
    long now = System.nanoTime();
    statistics.measureBetween(now - TimeUnit.HOURS.toNanos(1), now + TimeUnit.HOURS.toNanos(1));
  }

  private static byte[] answer() {
    byte[] entry =
        Pdu.element(
            Pdu.SEARCH_ENTRY,
            Pdu.element(Pdu.OCTET_STRING, Pdu.utf8("uid=" + UID + "," + People.DEFAULT_PARENT)),
            Pdu.element(
                Pdu.SEQUENCE,
                Pdu.attribute("objectClass", "top", "person", "inetOrgPerson"),
                Pdu.attribute("cn", "Somebody"),
                Pdu.attribute("uid", UID),
                Pdu.attribute("mail", UID + "@example.com")));
    byte[] success = {0x0a, 1, 0, 4, 0, 4, 0};
    byte[] done = Pdu.element(Pdu.SEARCH_DONE, success);
    byte[] id = Pdu.integer(Pdu.FIRST_MESSAGE_ID);
    byte[] first = Pdu.element(Pdu.SEQUENCE, id, entry);
    byte[] second = Pdu.element(Pdu.SEQUENCE, id, done);
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Benchmark
  public ByteBuf write() {
    messageId = messageId == Pdu.LAST_MESSAGE_ID ? Pdu.FIRST_MESSAGE_ID : messageId + 1;
    search.write(request.clear(), messageId, USER, 0, 0);
    return request;
  }

  /** Scans the answer as most answers are scanned. */
  @Benchmark
  public int scan() {
    likelyScanner.scan(answer.readerIndex(0));
    return likely.found;
  }

  /** Scans the answer and decodes it as a whole, as is done for a sample. */
  @Benchmark
  public int scanSample() {
    rightScanner.scan(answer.readerIndex(0));
    return right.found;
  }

  /** Counts both times of an operation. */
  @Benchmark
  public LoopStatistics count() {
    long now = System.nanoTime();
    statistics.completed(now - SAMPLE_NANOS, now - SAMPLE_NANOS / 2, now);
    return statistics;
  }
}

package org.nyala.loadtest.ldap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.netty.bootstrap.Bootstrap;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollSocketChannel;
import java.io.ByteArrayOutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Callable;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.nyala.core.Patience;
import org.nyala.core.Seeds;

@Timeout(300)
class SocketWireTest {
  private static final long SEED = Seeds.seed();
  private static final int READ_BUFFER = 1000;

  private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
  private final ByteArrayOutputStream received = new ByteArrayOutputStream();
  private MultiThreadIoEventLoopGroup group;
  private ServerSocket listening;
  private Socket peer;
  private ByteBuf in;
  private SocketWire wire;
  private volatile boolean isFailing;

  private final class Hearing implements SocketWire.Listener {
    @Override
    public void opened() {
      heard.add("opened");
    }

    @Override
    public void received(ByteBuf bytes) {
      if (isFailing) {
        throw new IllegalStateException("on purpose");
      }
      assertThat(bytes.readableBytes()).isBetween(1, READ_BUFFER);
      byte[] copy = new byte[bytes.readableBytes()];
      bytes.readBytes(copy);
      synchronized (received) {
        received.writeBytes(copy);
      }
      heard.add("received");
    }

    @Override
    public void ended() {
      heard.add("ended");
    }

    @Override
    public void broken(Throwable cause) {
      heard.add("broken: " + cause.getMessage());
    }
  }

  @BeforeEach
  void connect() throws Exception {
    assumeTrue(Epoll.isAvailable(), "epoll is not available");
    group = new MultiThreadIoEventLoopGroup(1, EpollIoHandler.newFactory());
    listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    in = PooledByteBufAllocator.DEFAULT.directBuffer(READ_BUFFER);
    Channel channel =
        new Bootstrap()
            .group(group)
            .channel(EpollSocketChannel.class)
            .option(ChannelOption.SO_SNDBUF, 4096)
            .handler(new ChannelInboundHandlerAdapter())
            .connect(listening.getLocalSocketAddress())
            .sync()
            .channel();
    peer = listening.accept();
    wire =
        onLoop(
            () -> {
              SocketWire made = SocketWire.of(new Hearing(), channel, in);
              assertThat(made).isNotNull();
              made.open();
              return made;
            });
    awaitHeard("opened");
  }

  @AfterEach
  void end() throws Exception {
    if (group != null) {
      peer.close();
      listening.close();
      group.shutdownGracefully(0, 5, TimeUnit.SECONDS).await();
      in.release();
    }
  }

  private <T> T onLoop(Callable<T> action) throws Exception {
    return Patience.get(group.next().submit(action));
  }

  private void awaitHeard(String what) throws Exception {
    assertThat(heard.poll(60, TimeUnit.SECONDS)).isEqualTo(what);
  }

  private static byte[] random(int length, long seed) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return bytes;
  }

  private static ByteBuf buffer(byte[] bytes) {
    return PooledByteBufAllocator.DEFAULT.directBuffer(bytes.length).writeBytes(bytes);
  }

  @Test
  void shouldReadWhatComesInOrder() throws Exception {
    byte[] bytes = random(100_000, SEED);
    peer.getOutputStream().write(bytes);

    int length = 0;
    while (length < bytes.length) {
      awaitHeard("received");
      synchronized (received) {
        length = received.size();
      }
    }
    assertThat(received.toByteArray()).as("-Dtest.seed=%d", SEED).isEqualTo(bytes);
    onLoop(
        () -> {
          wire.close();
          return 0;
        });
    heard.removeIf("received"::equals);
    awaitHeard("ended");
    assertThat(peer.getInputStream().read()).isEqualTo(-1);
  }

  /** Bytes that do not fit into the socket leave when there is room, in their order. */
  @Test
  void shouldSendWhatWaitsForTheSocket() throws Exception {
    byte[] first = random(8 << 20, SEED);
    byte[] second = random(100, SEED + 1);
    byte[] third = random(100, SEED + 2);

    boolean[] sent =
        onLoop(() -> new boolean[] {wire.send(buffer(first)), wire.send(buffer(second))});

    assertThat(sent).containsExactly(false, false);
    assertThat(peer.getInputStream().readNBytes(first.length))
        .as("-Dtest.seed=%d", SEED)
        .isEqualTo(first);
    assertThat(peer.getInputStream().readNBytes(second.length)).isEqualTo(second);
    ByteBuf reused = buffer(third);
    assertThat(onLoop(() -> wire.send(reused))).isTrue();
    assertThat(reused.isReadable()).isFalse();
    assertThat(peer.getInputStream().readNBytes(third.length)).isEqualTo(third);
    assertThat(reused.release()).isTrue();
  }

  @Test
  void shouldTellThatThePeerCloses() throws Exception {
    peer.close();

    awaitHeard("ended");
    ByteBuf late = buffer(random(10, SEED));
    assertThat(onLoop(() -> wire.send(late))).as("no receiver is left").isTrue();
    assertThat(late.release()).isTrue();
  }

  @Test
  void shouldTellThatThePeerResets() throws Exception {
    peer.setSoLinger(true, 0);
    peer.close();

    awaitHeard("ended");
  }

  @Test
  void shouldCloseWhenItsListenerFails() throws Exception {
    isFailing = true;
    peer.getOutputStream().write(1);

    awaitHeard("broken: on purpose");
    awaitHeard("ended");
    assertThat(peer.getInputStream().read()).isEqualTo(-1);
  }

  @Test
  void shouldLeaveChannelsAloneThatItCannotTakeOver() throws Exception {
    Channel other = new io.netty.channel.embedded.EmbeddedChannel();
    assertThat(SocketWire.of(new Hearing(), other, in)).isNull();
  }
}

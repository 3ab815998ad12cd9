package org.nyala.netty.accept;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.nyala.core.Patience;
import org.nyala.core.budget.OwnedSlots;

/** Accepted connections on their way to an event loop that has no time for them. */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs two addresses of the loopback interface")
class AcceptHandlerTest {
  private static final int MANY = 200;
  private static final String ONE = "127.0.0.1";
  private static final String OTHER = "127.0.0.2";
  private static final int AT_ONCE = 8;

  private final EventLoopGroup acceptor =
      new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final EventLoopGroup loop = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
  private final List<Socket> clients = new ArrayList<>();
  private final List<String> opened = new CopyOnWriteArrayList<>();
  private volatile OwnedSlots.Use use = OwnedSlots.Use.WORKING;
  private final CountDownLatch busy = new CountDownLatch(1);

  @AfterEach
  void stop() throws IOException {
    for (Socket client : clients) {
      client.close();
    }
    acceptor.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).awaitUninterruptibly();
  }

  private static ConnectionLimiter gate(int connections) {
    return new ConnectionLimiter(new RejectedConnections(new LongAdder()), connections, 0);
  }

  private int listen(AcceptHandler accepted) {
    Channel listener =
        new ServerBootstrap()
            .group(acceptor, loop)
            .channel(NioServerSocketChannel.class)
            .handler(accepted)
            .childHandler(
                new ChannelInitializer<Channel>() {
                  @Override
                  protected void initChannel(Channel channel) {
                    InetSocketAddress peer = (InetSocketAddress) channel.remoteAddress();
                    opened.add(peer.getAddress().getHostAddress());
                    if (accepted.open(channel) == 0) {
                      AcceptHandler.refuse(channel);
                    } else {
                      AcceptHandler.serve(channel, tenant(channel));
                    }
                  }
                })
            .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
            .syncUninterruptibly()
            .channel();
    return ((InetSocketAddress) listener.localAddress()).getPort();
  }

  private OwnedSlots.Tenant tenant(Channel channel) {
    return new OwnedSlots.Tenant() {
      @Override
      public OwnedSlots.Use use() {
        return use;
      }

      @Override
      public void evict() {
        ChannelFuture _ = channel.close();
      }
    };
  }

  private void connect(String from, int port) throws IOException {
    Socket client = new Socket();
    clients.add(client);
    client.bind(new InetSocketAddress(from, 0));
    client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
  }

  private void keepLoopBusy() {
    loop.execute(() -> Patience.await(busy));
  }

  @Test
  void shouldOpenTheConnectionOfAnAddressBeforeThoseThatAnotherHasWaiting() throws Exception {
    ConnectionLimiter gate = gate(0);
    int port = listen(new AcceptHandler(gate, acceptor.next(), 1));
    keepLoopBusy();
    for (int i = 0; i < MANY; i++) {
      connect(ONE, port);
    }
    connect(OTHER, port);
    eventually("all are accepted", () -> gate.count() == MANY + 1);
    busy.countDown();
    eventually("all are open", () -> opened.size() == MANY + 1);
    assertThat(opened.indexOf(OTHER)).isBetween(AT_ONCE, AT_ONCE + 1);
  }

  @Test
  void shouldCloseThoseThatWaitWhenTheServerStops() throws Exception {
    ConnectionLimiter gate = gate(0);
    AcceptHandler accepted = new AcceptHandler(gate, acceptor.next(), 1);
    int port = listen(accepted);
    keepLoopBusy();
    for (int i = 0; i < MANY; i++) {
      connect(ONE, port);
    }
    eventually("all are accepted", () -> gate.count() == MANY);
    acceptor.submit(accepted::close).syncUninterruptibly();
    assertThat(gate.count()).isEqualTo(AT_ONCE);
    connect(ONE, port);
    assertThat(clients.getLast().getInputStream().read()).isNegative();
    busy.countDown();
    eventually("those that it had been given are open", () -> opened.size() == AT_ONCE);
    assertThat(gate.count()).isEqualTo(AT_ONCE);
  }

  @Test
  void shouldForgetConnectionsThatNoLoopTakes() throws Exception {
    ConnectionLimiter gate = gate(0);
    int port = listen(new AcceptHandler(gate, acceptor.next(), 1));
    loop.shutdownGracefully(0, 0, TimeUnit.SECONDS).syncUninterruptibly();
    for (int i = 0; i < 3 * AT_ONCE; i++) {
      connect(ONE, port);
      assertThat(clients.getLast().getInputStream().read()).as("client %d", i).isNegative();
    }
    eventually("none is counted", () -> gate.count() == 0);
  }

  @Test
  void shouldEndRefusedConnectionsHoweverManyThereAre() throws Exception {
    LongAdder refusals = new LongAdder();
    ConnectionLimiter gate = new ConnectionLimiter(new RejectedConnections(refusals), 1, 0);
    int port = listen(new AcceptHandler(gate, acceptor.next(), 1));
    keepLoopBusy();
    for (int i = 0; i < MANY; i++) {
      connect(ONE, port);
    }
    eventually("all are accepted", () -> refusals.sum() == MANY - 1);
    busy.countDown();
    int told = 0;
    for (Socket client : clients.subList(1, MANY)) {
      told += client.getInputStream().readAllBytes().length > 0 ? 1 : 0;
    }
    assertThat(told).isEqualTo(AcceptHandler.REFUSED_AT_ONCE);
    connect(ONE, port);
    assertThat(clients.getLast().getInputStream().readAllBytes()).isNotEmpty();
    assertThat(gate.count()).isEqualTo(1);
    use = OwnedSlots.Use.IDLE;
    connect(OTHER, port);
    assertThat(clients.getFirst().getInputStream().read()).as("makes way").isNegative();
    eventually("the other one is open", () -> opened.contains(OTHER) && gate.count() == 1);
  }
}

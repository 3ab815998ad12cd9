package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.protocol.SearchRequestProtocolOp;
import com.unboundid.ldap.sdk.Attribute;
import com.unboundid.ldap.sdk.DereferencePolicy;
import com.unboundid.ldap.sdk.Filter;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.SearchScope;
import io.netty.buffer.PooledByteBufAllocator;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.nyala.core.budget.MemoryBudget;
import org.nyala.process.LocalServer;

/** Tests entries that take much memory when they are sent, to many clients that read nothing. */
class LargeAnswersTest {
  private static final String BASE = "dc=example,dc=com";
  private static final int PHOTO_BYTES = 1_500_000;
  private static final int PHOTOS = 6;
  private static final int CLIENTS = 40;
  private static final int SEARCHES = 4;

  @TempDir Path folder;

  private static LDAPConnection fill(RunningServer server) throws Exception {
    LDAPConnection root = LocalServer.connectAsRoot(server);
    root.add("dn: " + BASE, "objectClass: domain", "dc: example");
    for (int i = 0; i < PHOTOS; i++) {
      root.add(
          "cn=photo " + i + "," + BASE,
          new Attribute("objectClass", "inetOrgPerson"),
          new Attribute("cn", "photo " + i),
          new Attribute("sn", "photo"),
          new Attribute("jpegPhoto", new byte[PHOTO_BYTES]));
    }
    return root;
  }

  /** Asks for all photos several times and reads nothing. */
  private static Socket ask(RunningServer server) throws IOException {
    Socket socket = new Socket();
    socket.setReceiveBufferSize(4096);
    socket.connect(
        new InetSocketAddress(InetAddress.getLoopbackAddress(), LocalServer.port(server)));
    send(socket, new LDAPMessage(1, new BindRequestProtocolOp("cn=admin", "admin")));
    assertThat(socket.getInputStream().readNBytes(14)).hasSize(14);
    for (int i = 0; i < SEARCHES; i++) {
      send(
          socket,
          new LDAPMessage(
              2 + i,
              new SearchRequestProtocolOp(
                  BASE,
                  SearchScope.SUB,
                  DereferencePolicy.NEVER,
                  0,
                  0,
                  false,
                  Filter.createPresenceFilter("objectClass"),
                  List.of())));
    }
    return socket;
  }

  private static void send(Socket socket, LDAPMessage message) throws IOException {
    socket.getOutputStream().write(message.encode().encode());
  }

  @ParameterizedTest
  @ValueSource(strings = {"adaptive", "run-to-completion", "lightweight"})
  void shouldMakeNoMoreThanThereIsRoomFor(String strategy) throws Exception {
    String configuration = "limits.memory.mebibytes = 16, dispatch.strategy = " + strategy;
    PooledByteBufAllocator buffers = PooledByteBufAllocator.DEFAULT;
    try (RunningServer server = LocalServer.start(folder, configuration);
        LDAPConnection neighbour = fill(server)) {
      MemoryBudget memory = server.served().directory().memory();
      long before = buffers.pinnedDirectMemory();
      AtomicLong most = new AtomicLong();
      AtomicBoolean isOver = new AtomicBoolean();
      Thread sampler =
          Thread.ofPlatform()
              .start(
                  () -> {
                    while (!isOver.get()) {
                      most.accumulateAndGet(buffers.pinnedDirectMemory() - before, Math::max);
                    }
                  });
      List<Socket> deaf = new ArrayList<>();
      for (int i = 0; i < CLIENTS; i++) {
        deaf.add(ask(server));
        assertThat(neighbour.getEntry(BASE)).isNotNull();
      }
      eventually("much is held", () -> memory.held() > memory.bounds().wholeBytes() / 2);
      for (int i = 0; i < 20; i++) {
        assertThat(neighbour.getEntry(BASE)).isNotNull();
      }
      isOver.set(true);
      sampler.join();
      for (Socket socket : deaf) {
        socket.setSoLinger(true, 0);
        socket.close();
      }
      assertThat(most.get()).isLessThan(memory.bounds().wholeBytes());
      assertThat(neighbour.search(BASE, SearchScope.SUB, "(sn=photo)").getSearchEntries())
          .hasSize(PHOTOS)
          .allMatch(each -> each.getAttributeValueBytes("jpegPhoto").length == PHOTO_BYTES);
      eventually("nothing is held", () -> memory.held() == 0);
    }
  }
}

package org.nyala.loadtest.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.nyala.loadtest.agent.SecureLine.Kind;
import org.nyala.loadtest.cli.JobCommand;

/** Attacks an agent with and without the secret. */
class SecureLineTest extends AgentTestCase {
  private static final int GREETING_BYTES = 19 + 32;

  /** Passes bytes on between a coordinator and an agent, and keeps the coordinator's. */
  private static final class Relay implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private final Socket agent;

    Relay(Agent agent) throws IOException {
      this.agent = connected(agent);
      Thread.ofPlatform().daemon().start(this::run);
    }

    int port() {
      return listening.getLocalPort();
    }

    private void run() {
      try (Socket coordinator = listening.accept()) {
        Thread.ofPlatform().daemon().start(() -> pass(agent, coordinator, null));
        pass(coordinator, agent, kept);
      } catch (IOException e) {
        // The test is over.
      }
    }

    private static void pass(Socket from, Socket to, ByteArrayOutputStream copy) {
      try (to) {
        byte[] buffer = new byte[4096];
        int length = from.getInputStream().read(buffer);
        while (length >= 0) {
          if (copy != null) {
            copy.write(buffer, 0, length);
          }
          to.getOutputStream().write(buffer, 0, length);
          length = from.getInputStream().read(buffer);
        }
      } catch (IOException e) {
        // The test is over.
      }
    }

    @Override
    public void close() throws IOException {
      listening.close();
      agent.close();
    }
  }

  private static void assertEnds(Socket socket) throws IOException {
    try {
      assertThat(socket.getInputStream().read()).isEqualTo(-1);
    } catch (SocketException e) {
      assertThat(e).hasMessageContaining("reset");
    }
  }

  private static void assertWorks(Agent agent) throws IOException {
    try (SecureLine line = SecureLine.ofCoordinator(connected(agent), secret())) {
      line.send(Kind.CLOCK, 0);
      assertThat(line.receive().kind()).isEqualTo(Kind.CLOCK);
    }
  }

  @Test
  void shouldRefuseAnotherSecretOnBothSides() throws Exception {
    Agent agent = agent();
    Secret other = new Secret("another secret of bytes".getBytes(StandardCharsets.UTF_8));

    assertThatThrownBy(() -> SecureLine.ofCoordinator(connected(agent), other))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("another secret than that of --secret-file");
    assertWorks(agent);
  }

  /** An impostor knows the greeting, but cannot prove the secret. */
  @Test
  void shouldRefuseAnAgentWithoutTheSecret() throws Exception {
    try (ServerSocket impostor = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Thread.ofPlatform()
          .daemon()
          .start(
              () -> {
                try (Socket socket = impostor.accept()) {
                  socket
                      .getOutputStream()
                      .write("NYALA-LOAD-AGENT-1\n".getBytes(StandardCharsets.US_ASCII));
                  socket.getOutputStream().write(new byte[32]);
                  byte[] proof = socket.getInputStream().readNBytes(64);
                  // Reflects the proof of the coordinator.
                  socket.getOutputStream().write(proof, 32, 32);
                  boolean _ = socket.getInputStream().read() < 0;
                } catch (IOException e) {
                  // The test is over.
                }
              });

      assertThatThrownBy(
              () -> SecureLine.ofCoordinator(connected(impostor.getLocalPort()), secret()))
          .isInstanceOf(IOException.class)
          .hasMessage("it does not have the secret of --secret-file");
    }
  }

  @Test
  void shouldRefuseARecordedSession() throws Exception {
    Agent agent = agent();
    byte[] recorded;
    try (Relay relay = new Relay(agent);
        SecureLine line = SecureLine.ofCoordinator(connected(relay.port()), secret())) {
      line.send(Kind.CLOCK, 0);
      assertThat(line.receive().kind()).isEqualTo(Kind.CLOCK);
      recorded = relay.kept.toByteArray();
    }

    try (Socket replay = connected(agent)) {
      assertThat(replay.getInputStream().readNBytes(GREETING_BYTES)).hasSize(GREETING_BYTES);
      replay.getOutputStream().write(recorded);
      assertEnds(replay);
    }
    assertWorks(agent);
  }

  /** A frame that comes twice has the wrong number the second time. */
  @Test
  void shouldRefuseARepeatedFrame() throws Exception {
    Agent agent = agent();
    try (Relay relay = new Relay(agent);
        SecureLine line = SecureLine.ofCoordinator(connected(relay.port()), secret())) {
      line.send(Kind.CLOCK, 0);
      assertThat(line.receive().kind()).isEqualTo(Kind.CLOCK);
      byte[] frames = relay.kept.toByteArray();
      relay.agent.getOutputStream().write(frames, 64, frames.length - 64);

      assertThatThrownBy(line::receive).isInstanceOf(EOFException.class);
    }
    assertWorks(agent);
  }

  @Test
  void shouldEndOnDamagedFrames() throws Exception {
    Agent agent = agent();
    List<byte[]> frames =
        List.of(
            ByteBuffer.allocate(4).putInt(SecureLine.MOST_BYTES_OF_TEST + 1).array(),
            ByteBuffer.allocate(4).putInt(-1).array(),
            ByteBuffer.allocate(4).putInt(0).array(),
            ByteBuffer.allocate(44).putInt(40).array(),
            ByteBuffer.allocate(14).putInt(40).array());
    for (byte[] frame : frames) {
      try (Socket socket = connected(agent)) {
        SecureLine line = SecureLine.ofCoordinator(socket, secret());
        socket.getOutputStream().write(frame);
        socket.shutdownOutput();
        assertThatThrownBy(line::receive)
            .isInstanceOfAny(EOFException.class, SocketException.class);
      }
    }
    assertWorks(agent);
  }

  @Test
  void shouldSurviveGarbage() throws Exception {
    Agent agent = agent();
    long seed = System.nanoTime();
    System.out.println("garbage to an agent: seed " + seed);
    Random random = new Random(seed);
    for (int i = 0; i < 100; i++) {
      byte[] garbage = new byte[random.nextInt(300)];
      random.nextBytes(garbage);
      try (Socket socket = connected(agent)) {
        InputStream in = socket.getInputStream();
        assertThat(in.readNBytes(GREETING_BYTES)).as("seed %d", seed).hasSize(GREETING_BYTES);
        socket.getOutputStream().write(garbage);
        socket.shutdownOutput();
        assertEnds(socket);
      }
    }
    assertWorks(agent);
    assertThat(log).isEmpty();
  }

  @Test
  void shouldBoundConnectionsThatProveNothing() throws Exception {
    Agent agent = agent(new AgentRules(null, List.of(), JobCommand::settingsOf), 3_000);
    List<Socket> silent = new ArrayList<>();
    for (int i = 0; i < Agent.MOST_UNPROVEN; i++) {
      Socket socket = connected(agent);
      silent.add(socket);
      assertThat(socket.getInputStream().readNBytes(GREETING_BYTES)).hasSize(GREETING_BYTES);
    }

    assertThatThrownBy(() -> SecureLine.ofCoordinator(connected(agent), secret()))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("too many others wait");
    for (Socket socket : silent) {
      assertEnds(socket);
      socket.close();
    }
    assertWorks(agent);
  }
}

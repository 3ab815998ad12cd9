package org.nyala.loadtest.agent;

import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Arrays;
import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/**
 * A connection between coordinator and agent. Both prove first that they know the secret, by
 * HMAC-SHA-256 of fresh nonces of both. Then every frame is encrypted by AES-256-GCM (NIST SP
 * 800-38D) with keys of this session, one for each direction; its number is the nonce, so that a
 * frame that was changed, repeated, left out or moved is refused.
 *
 * <p>Thread-safe for senders; frames are received by one thread.
 */
final class SecureLine implements AutoCloseable {
  /** The longest frame of a coordinator, in bytes: the options of a test. */
  static final int MOST_BYTES_OF_TEST = 256 << 10;

  /** The longest frame of an agent, in bytes: the figures of a test. */
  static final int MOST_BYTES_OF_RESULT = 64 << 20;

  /** The time to prove the secret, in milliseconds. */
  static final int PROOF_MILLIS = 10_000;

  /** The time after which a silent peer is given up, in milliseconds; it calls every 2 s. */
  private static final int SILENCE_MILLIS = 30_000;

  private static final byte[] GREETING = "NYALA-LOAD-AGENT-1\n".getBytes(StandardCharsets.US_ASCII);
  private static final int NONCE_BYTES = 32;
  private static final int PROOF_BYTES = 32;
  private static final int TAG_BYTES = 16;
  private static final String AGENT = "agent";
  private static final String COORDINATOR = "coordinator";

  /** The kinds of messages. */
  enum Kind {
    /** Asks for the time of the agent's clock; the answer has it. */
    CLOCK(1),
    /** A test to get ready for. */
    TEST(2),
    /** All clients are connected. */
    READY(3),
    /** The moment to begin, by the agent's clock. */
    BEGIN(4),
    /** Shows that the peer lives. */
    ALIVE(5),
    /** The figures of a test. */
    RESULT(6),
    /** The reason, in words, for which there are none. */
    FAILED(7);

    private final int code;

    Kind(int code) {
      this.code = code;
    }

    private static Kind of(int code) throws IOException {
      for (Kind kind : values()) {
        if (kind.code == code) {
          return kind;
        }
      }
      throw new IOException("there is no message of the kind " + code);
    }
  }

  /** A message. Immutable; its bytes belong to the receiver. */
  record Message(Kind kind, byte[] bytes) {
    String text() {
      return new String(bytes, StandardCharsets.UTF_8);
    }

    /**
     * Returns the only number of it.
     *
     * @throws IOException if there is none
     */
    long number() throws IOException {
      if (bytes.length != Long.BYTES) {
        throw new IOException("a message has no number where there must be one");
      }
      return ByteBuffer.wrap(bytes).getLong();
    }
  }

  private final Socket socket;
  private final InputStream in;
  private final DataOutputStream out;
  private final SecretKey sendKey;
  private final SecretKey receiveKey;
  private final int mostBytes;
  private long sent;
  private long received;

  private SecureLine(Socket socket, SecretKey sendKey, SecretKey receiveKey, int mostBytes)
      throws IOException {
    this.socket = socket;
    this.in = socket.getInputStream();
    this.out = new DataOutputStream(socket.getOutputStream());
    this.sendKey = sendKey;
    this.receiveKey = receiveKey;
    this.mostBytes = mostBytes;
    socket.setSoTimeout(SILENCE_MILLIS);
  }

  /**
   * Proves the secret to a coordinator, which proves it first.
   *
   * @throws IOException if the peer does not know the secret, or takes too long
   */
  static SecureLine ofAgent(Socket socket, Secret secret, int proofMillis) throws IOException {
    long until = System.nanoTime() + proofMillis * 1_000_000L;
    byte[] own = nonce();
    socket.getOutputStream().write(joined(GREETING, own));
    byte[] other = read(socket, NONCE_BYTES, until);
    byte[] nonces = joined(own, other);
    byte[] proof = read(socket, PROOF_BYTES, until);
    if (!MessageDigest.isEqual(proof, secret.proof(COORDINATOR, nonces))) {
      throw new IOException("the coordinator does not have the secret of this agent");
    }
    socket.getOutputStream().write(secret.proof(AGENT, nonces));
    return new SecureLine(
        socket,
        secret.frameKey(AGENT, nonces),
        secret.frameKey(COORDINATOR, nonces),
        MOST_BYTES_OF_TEST);
  }

  /**
   * Proves the secret to an agent, and has it prove the secret.
   *
   * @throws IOException if the peer is no agent, or does not know the secret
   */
  static SecureLine ofCoordinator(Socket socket, Secret secret) throws IOException {
    long until = System.nanoTime() + PROOF_MILLIS * 1_000_000L;
    try {
      if (!Arrays.equals(read(socket, GREETING.length, until), GREETING)) {
        throw new IOException("this is no agent of nyala-loadtest, or one of another version");
      }
    } catch (EOFException e) {
      throw new IOException("it closed the connection: too many others wait there", e);
    }
    byte[] own = nonce();
    byte[] nonces = joined(read(socket, NONCE_BYTES, until), own);
    socket.getOutputStream().write(joined(own, secret.proof(COORDINATOR, nonces)));
    byte[] proof;
    try {
      proof = read(socket, PROOF_BYTES, until);
    } catch (EOFException e) {
      throw new IOException("it has another secret than that of --secret-file", e);
    }
    if (!MessageDigest.isEqual(proof, secret.proof(AGENT, nonces))) {
      throw new IOException("it does not have the secret of --secret-file");
    }
    return new SecureLine(
        socket,
        secret.frameKey(COORDINATOR, nonces),
        secret.frameKey(AGENT, nonces),
        MOST_BYTES_OF_RESULT);
  }

  private static byte[] nonce() {
    byte[] nonce = new byte[NONCE_BYTES];
    new SecureRandom().nextBytes(nonce);
    return nonce;
  }

  private static byte[] joined(byte[] one, byte[] other) {
    return ByteBuffer.allocate(one.length + other.length).put(one).put(other).array();
  }

  /** Reads within a time for all bytes together: a peer that sends one now and then gains none. */
  private static byte[] read(Socket socket, int count, long untilNanos) throws IOException {
    byte[] bytes = new byte[count];
    int at = 0;
    while (at < count) {
      long leftMillis = (untilNanos - System.nanoTime()) / 1_000_000;
      if (leftMillis <= 0) {
        throw new SocketTimeoutException("no proof of the secret came in time");
      }
      socket.setSoTimeout((int) leftMillis);
      int length = socket.getInputStream().read(bytes, at, count - at);
      if (length < 0) {
        throw new EOFException("the connection ended");
      }
      at += length;
    }
    return bytes;
  }

  void send(Kind kind, long number) throws IOException {
    send(kind, ByteBuffer.allocate(Long.BYTES).putLong(number).array());
  }

  void send(Kind kind, String text) throws IOException {
    send(kind, text.getBytes(StandardCharsets.UTF_8));
  }

  private synchronized void send(Kind kind, byte[] bytes) throws IOException {
    byte[] plain = new byte[1 + bytes.length];
    plain[0] = (byte) kind.code;
    System.arraycopy(bytes, 0, plain, 1, bytes.length);
    byte[] sealed;
    try {
      sealed = cipher(Cipher.ENCRYPT_MODE, sendKey, sent++).doFinal(plain);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("this Java runtime lacks AES-GCM", e);
    }
    byte[] frame =
        ByteBuffer.allocate(Integer.BYTES + sealed.length)
            .putInt(sealed.length)
            .put(sealed)
            .array();
    out.write(frame);
    out.flush();
  }

  /**
   * Waits for a message.
   *
   * @throws EOFException if the peer closed the connection
   * @throws IOException if a frame is too long or not authentic, or nothing comes for 30 s
   */
  Message receive() throws IOException {
    int length = ByteBuffer.wrap(readFrame(Integer.BYTES)).getInt();
    if (length <= TAG_BYTES || length > mostBytes) {
      throw new IOException("a frame must have at most " + mostBytes + " bytes, not " + length);
    }
    byte[] sealed = readFrame(length);
    byte[] plain;
    try {
      plain = cipher(Cipher.DECRYPT_MODE, receiveKey, received++).doFinal(sealed);
    } catch (GeneralSecurityException e) {
      throw new IOException("a frame is not authentic", e);
    }
    return new Message(Kind.of(plain[0]), Arrays.copyOfRange(plain, 1, plain.length));
  }

  private byte[] readFrame(int length) throws IOException {
    try {
      byte[] bytes = in.readNBytes(length);
      if (bytes.length < length) {
        throw new EOFException("the connection ended");
      }
      return bytes;
    } catch (SocketTimeoutException e) {
      throw new IOException("nothing came from the other side for 30 seconds", e);
    }
  }

  private static Cipher cipher(int mode, SecretKey key, long number)
      throws GeneralSecurityException {
    byte[] nonce = ByteBuffer.allocate(12).putInt(0).putLong(number).array();
    Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
    cipher.init(mode, key, new GCMParameterSpec(TAG_BYTES * Byte.SIZE, nonce));
    return cipher;
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException e) {
      // Nothing more is expected from it.
    }
  }
}

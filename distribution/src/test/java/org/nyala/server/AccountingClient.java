package org.nyala.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.function.BooleanSupplier;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;

/**
 * A connection that keeps many requests of all kinds under way and accounts for every message id:
 * each request is answered once, by a matching response, and not before the end of a Bind that
 * precedes it.
 *
 * <p>Confined to one thread.
 */
final class AccountingClient implements AutoCloseable {
  private static final String PEOPLE = "ou=People,dc=example,dc=com";
  private static final String ADMIN = "cn=admin,dc=example,dc=com";
  private static final String WHO_AM_I = "1.3.6.1.4.1.4203.1.11.3";
  private static final int TIMEOUT_MILLIS = 60_000;
  private static final int WINDOW = 12;
  private static final int AFTER_BIND = 4;

  private static final int BIND = 0x60;
  private static final int SEARCH = 0x63;
  private static final int MODIFY = 0x66;
  private static final int COMPARE = 0x6e;
  private static final int ABANDON = 0x50;
  private static final int EXTENDED = 0x77;
  private static final int UNBIND = 0x42;
  private static final int ENTRY = 0x64;
  private static final int SEARCH_DONE = 0x65;

  /** The expected answer of a request. */
  private static final class Awaited {
    final int tag;
    final int code;
    final int entries;
    final String value;
    boolean abandoned;
    int seen;

    Awaited(int tag, int code, int entries, String value) {
      this.tag = tag;
      this.code = code;
      this.entries = entries;
      this.value = value;
    }
  }

  private final int people;
  private final Random random;
  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final Map<Integer, Awaited> awaited = new LinkedHashMap<>();
  private int lastId;
  private String identity = "";
  private long answered;

  AccountingClient(int port, int people, Random random) throws IOException {
    this.people = people;
    this.random = random;
    this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setTcpNoDelay(true);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    this.in = new DataInputStream(new BufferedInputStream(socket.getInputStream(), 1 << 16));
    this.out = socket.getOutputStream();
  }

  /**
   * Sends requests and accounts for their answers until the condition is false, at least once, and
   * then until all are answered.
   */
  long run(BooleanSupplier goOn) throws Exception {
    do {
      if (random.nextInt(40) == 0) {
        settle();
        bindAndFollow();
      } else {
        burst(1 + random.nextInt(4));
      }
      while (open() > WINDOW) {
        receive();
      }
    } while (goOn.getAsBoolean());
    settle();
    leave();
    return answered;
  }

  private long open() {
    return awaited.values().stream().filter(request -> !request.abandoned).count();
  }

  private void settle() throws Exception {
    while (open() > 0) {
      receive();
    }
  }

  /** Unbinds and reads to the end: no more answers may come except to abandoned requests. */
  private void leave() throws IOException, InvalidBerException {
    out.write(
        new BerWriter()
            .sequence(new BerWriter().integer(++lastId).octets(UNBIND, new byte[0]))
            .toByteArray());
    in.mark(1);
    while (in.read() >= 0) {
      in.reset();
      receive();
      in.mark(1);
    }
  }

  private void burst(int requests) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < requests; i++) {
      bytes.writeBytes(anyRequest());
    }
    out.write(bytes.toByteArray());
  }

  private String person() {
    return "uid=user." + random.nextInt(people) + "," + PEOPLE;
  }

  private byte[] anyRequest() {
    return switch (random.nextInt(20)) {
      case 0 -> search(PEOPLE, 2, "sn", people);
      case 1, 2 -> modify();
      case 3, 4 -> compare();
      case 5, 6 -> whoAmI();
      case 7 -> abandonOne();
      default -> search(person(), 0, "uid", 1);
    };
  }

  /** Sends a Bind with requests right behind it: they run with the identity of the Bind. */
  private void bindAndFollow() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int who = random.nextInt(people);
    if (random.nextInt(3) == 0) {
      bytes.writeBytes(bind(ADMIN, "admin"));
      identity = "dn:" + ADMIN;
    } else {
      // The password of person 1 takes long to check.
      int number = random.nextInt(4) == 0 ? 1 : who;
      String dn = "uid=user." + number + "," + PEOPLE;
      bytes.writeBytes(bind(dn, "password." + number));
      identity = "dn:" + dn;
    }
    for (int i = 0; i < AFTER_BIND; i++) {
      bytes.writeBytes(i % 2 == 0 ? whoAmI() : search(person(), 0, "uid", 1));
    }
    out.write(bytes.toByteArray());
  }

  private byte[] message(int operationTag, BerWriter operation, Awaited answer) {
    int id = ++lastId;
    if (answer.tag != 0) {
      awaited.put(id, answer);
    }
    return new BerWriter()
        .sequence(new BerWriter().integer(id).constructed(operationTag, operation))
        .toByteArray();
  }

  private byte[] bind(String dn, String password) {
    BerWriter operation = new BerWriter().integer(3).text(dn).text(0x80, password);
    return message(BIND, operation, new Awaited(BIND + 1, 0, 0, ""));
  }

  private byte[] search(String base, int scope, String attribute, int entries) {
    BerWriter operation =
        new BerWriter()
            .text(base)
            .enumerated(scope)
            .enumerated(0)
            .integer(0)
            .integer(0)
            .bool(false)
            .text(0x87, "uid")
            .sequence(new BerWriter().text(attribute));
    return message(SEARCH, operation, new Awaited(SEARCH_DONE, 0, entries, ""));
  }

  private byte[] modify() {
    BerWriter values = new BerWriter().text("version " + lastId);
    BerWriter change =
        new BerWriter()
            .enumerated(2)
            .sequence(new BerWriter().text("description").constructed(0x31, values));
    BerWriter operation = new BerWriter().text(person()).sequence(new BerWriter().sequence(change));
    // strongerAuthRequired for anonymous clients, insufficientAccessRights for people.
    int refused = identity.isEmpty() ? 8 : 50;
    int code = identity.endsWith(ADMIN) ? 0 : refused;
    return message(MODIFY, operation, new Awaited(MODIFY + 1, code, 0, ""));
  }

  private byte[] compare() {
    int number = random.nextInt(people);
    BerWriter assertion = new BerWriter().text("uid").text("user." + number);
    BerWriter operation =
        new BerWriter().text("uid=user." + number + "," + PEOPLE).sequence(assertion);
    return message(COMPARE, operation, new Awaited(COMPARE + 1, 6, 0, ""));
  }

  private byte[] whoAmI() {
    BerWriter operation = new BerWriter().text(0x80, WHO_AM_I);
    return message(EXTENDED, operation, new Awaited(EXTENDED + 1, 0, 0, identity));
  }

  private byte[] abandonOne() {
    List<Integer> searches = new ArrayList<>();
    awaited.forEach(
        (id, request) -> {
          if (request.tag == SEARCH_DONE && !request.abandoned) {
            searches.add(id);
          }
        });
    if (searches.isEmpty()) {
      return whoAmI();
    }
    int target = searches.get(random.nextInt(searches.size()));
    awaited.get(target).abandoned = true;
    return new BerWriter()
        .sequence(new BerWriter().integer(++lastId).integer(ABANDON, target))
        .toByteArray();
  }

  private void receive() throws IOException, InvalidBerException {
    BerReader message = BerReader.trusted(readMessage()).sequence();
    int id = message.integer();
    int tag = message.nextTag();
    BerReader operation = message.content(tag);
    Awaited request = awaited.get(id);
    assertThat(request).as("message %d, tag %x: awaited once", id, tag).isNotNull();
    request.seen++;
    if (tag == ENTRY) {
      assertThat(request.tag).as("entry for message %d", id).isEqualTo(SEARCH_DONE);
      return;
    }
    assertThat(tag).as("tag of message %d", id).isEqualTo(request.tag);
    assertThat(operation.enumerated())
        .as("result of message %d, %x", id, tag)
        .isEqualTo(request.code);
    if (tag == SEARCH_DONE) {
      assertThat(request.seen - 1).as("entries of message %d", id).isEqualTo(request.entries);
    } else if (tag == EXTENDED + 1) {
      operation.octets();
      operation.octets();
      assertThat(new String(operation.octets(0x8b), StandardCharsets.UTF_8))
          .as("identity at message %d", id)
          .isEqualTo(request.value);
    }
    awaited.remove(id);
    answered++;
  }

  /** Reads one whole message; its header is at most six octets here. */
  private byte[] readMessage() throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    bytes.write(in.readUnsignedByte());
    int first = in.readUnsignedByte();
    bytes.write(first);
    int length = first;
    if (first > 0x80) {
      length = 0;
      for (int i = 0; i < first - 0x80; i++) {
        int octet = in.readUnsignedByte();
        bytes.write(octet);
        length = length << 8 | octet;
      }
    }
    bytes.writeBytes(in.readNBytes(length));
    return bytes.toByteArray();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

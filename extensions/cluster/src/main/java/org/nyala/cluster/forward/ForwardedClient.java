package org.nyala.cluster.forward;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.nyala.core.access.BoundIdentity;
import org.nyala.core.ber.BerReader;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.ber.InvalidBerException;
import org.nyala.core.dn.Dn;
import org.nyala.core.dn.DnParser;
import org.nyala.core.dn.InvalidDnException;
import org.nyala.core.schema.Schema;
import org.nyala.core.session.ClientConnection;
import org.nyala.core.session.ClientSource;
import org.nyala.core.session.Operation;

/**
 * A client of another member, as far as access rules, limits, policies and logs of the leader ask
 * for it.
 *
 * <p>Immutable.
 *
 * @param member the member that it is connected to
 * @param connection the number of its connection there
 * @param identity the identity that it has bound as there, or that its transaction has
 * @param mechanism the mechanism by which it has bound; empty for anonymous
 * @param isToChangePassword true if it may change its password, and nothing else
 * @param strengthBits the strength of the encryption of its connection
 * @param layer the layer that the strength is that of
 * @param isOnThisMachine true if it is on the machine of that member
 * @param source the origin of the connection
 * @param peer its address and port, as logs show them
 * @param local the address and port that it has come to
 * @param owner the text of the owner on whose account it is while it is anonymous
 */
record ForwardedClient(
    UUID member,
    int connection,
    BoundIdentity identity,
    String mechanism,
    boolean isToChangePassword,
    int strengthBits,
    ClientConnection.Layer layer,
    boolean isOnThisMachine,
    ClientSource source,
    String peer,
    String local,
    String owner) {
  private static final int CLIENT = 0xa0;
  private static final int PROXY = 0xa1;
  private static final int PROCESS = 0xa2;
  private static final int UUID_BYTES = 16;
  private static final int MOST_SUFFIXES = 1_000;

  /** The layers by their numbers in the form, which never change. */
  private static final ClientConnection.Layer[] LAYERS = {
    ClientConnection.Layer.TLS, ClientConnection.Layer.SASL, ClientConnection.Layer.TRANSPORT
  };

  /**
   * Returns the client of an operation.
   *
   * @param member this member
   * @param identity the identity that the operation is for
   */
  static ForwardedClient of(Operation operation, UUID member, BoundIdentity identity) {
    ClientConnection connection = operation.session().connection();
    return new ForwardedClient(
        member,
        connection.number(),
        identity,
        operation.clientFacts().mechanism(),
        operation.session().mustChangePassword(),
        connection.strengthBits(),
        connection.layer(),
        connection.isOnThisMachine(),
        connection.source(),
        connection.peer(),
        connection.local(),
        String.valueOf(operation.session().source()));
  }

  /** Returns the form of the client, a sequence. */
  BerWriter write() {
    BerWriter suffixes = new BerWriter();
    identity.suffixes().forEach(each -> suffixes.octets(each.raw()));
    BerWriter content =
        new BerWriter()
            .octets(
                ByteBuffer.allocate(UUID_BYTES)
                    .putLong(member.getMostSignificantBits())
                    .putLong(member.getLeastSignificantBits())
                    .array())
            .integer(connection)
            .octets(identity.dn().raw())
            .bool(identity.isRoot())
            .sequence(suffixes)
            .text(mechanism)
            .bool(isToChangePassword)
            .integer(strengthBits)
            .enumerated(number(layer))
            .bool(isOnThisMachine)
            .text(peer)
            .text(local)
            .text(owner);
    address(content, CLIENT, source.client());
    address(content, PROXY, source.proxy());
    ClientSource.LocalProcess process = source.process();
    if (process != null) {
      content.constructed(
          PROCESS,
          new BerWriter().integer(process.uid()).integer(process.gid()).integer(process.pid()));
    }
    return new BerWriter().sequence(content);
  }

  private static int number(ClientConnection.Layer layer) {
    return switch (layer) {
      case TLS -> 0;
      case SASL -> 1;
      case TRANSPORT -> 2;
    };
  }

  private static void address(BerWriter content, int tag, @Nullable InetSocketAddress of) {
    InetAddress address = of == null ? null : of.getAddress();
    if (of != null && address != null) {
      content.constructed(tag, new BerWriter().octets(address.getAddress()).integer(of.getPort()));
    }
  }

  /**
   * Reads a client.
   *
   * @param schema the schema by which names are read
   * @throws InvalidBerException if it is none
   */
  static ForwardedClient read(BerReader reader, Schema schema) throws InvalidBerException {
    int whole = reader.enter(BerReader.SEQUENCE);
    byte[] member = reader.octets();
    if (member.length != UUID_BYTES) {
      throw new InvalidBerException("the id of a member has 16 bytes");
    }
    ByteBuffer id = ByteBuffer.wrap(member);
    int connection = reader.integer();
    byte[] dn = reader.octets();
    boolean isRoot = reader.bool();
    int suffixes = reader.enter(BerReader.SEQUENCE);
    Set<Dn> own = new HashSet<>();
    for (byte[] each : reader.list(MOST_SUFFIXES, "naming contexts", BerReader::octets)) {
      own.add(name(schema, each));
    }
    reader.leave(suffixes);
    String mechanism = reader.text();
    boolean isToChange = reader.bool();
    int bits = reader.integer();
    int layer = reader.enumerated();
    if (layer < 0 || layer >= LAYERS.length) {
      throw new InvalidBerException("an unknown layer");
    }
    ForwardedClient client =
        new ForwardedClient(
            new UUID(id.getLong(), id.getLong()),
            connection,
            new BoundIdentity(name(schema, dn), isRoot, own),
            mechanism,
            isToChange,
            bits,
            LAYERS[layer],
            reader.bool(),
            ClientSource.UNKNOWN,
            reader.text(),
            reader.text(),
            reader.text());
    ClientSource source =
        new ClientSource(address(reader, CLIENT), address(reader, PROXY), process(reader));
    reader.leave(whole);
    return client.from(source);
  }

  private ForwardedClient from(ClientSource other) {
    return new ForwardedClient(
        member,
        connection,
        identity,
        mechanism,
        isToChangePassword,
        strengthBits,
        layer,
        isOnThisMachine,
        other,
        peer,
        local,
        owner);
  }

  private static Dn name(Schema schema, byte[] text) throws InvalidBerException {
    try {
      return DnParser.parse(schema, text, Integer.MAX_VALUE, Integer.MAX_VALUE);
    } catch (InvalidDnException e) {
      throw new InvalidBerException("an invalid name: " + e.getMessage());
    }
  }

  private static @Nullable InetSocketAddress address(BerReader reader, int tag)
      throws InvalidBerException {
    if (reader.nextTag() != tag) {
      return null;
    }
    int whole = reader.enter(tag);
    byte[] octets = reader.octets();
    int port = reader.integer();
    reader.leave(whole);
    try {
      return new InetSocketAddress(InetAddress.getByAddress(octets), port);
    } catch (UnknownHostException | IllegalArgumentException e) {
      throw new InvalidBerException("an invalid address: " + e.getMessage());
    }
  }

  private static ClientSource.@Nullable LocalProcess process(BerReader reader)
      throws InvalidBerException {
    if (reader.nextTag() != PROCESS) {
      return null;
    }
    int whole = reader.enter(PROCESS);
    ClientSource.LocalProcess process =
        new ClientSource.LocalProcess(reader.integer(), reader.integer(), reader.integer());
    reader.leave(whole);
    return process;
  }
}

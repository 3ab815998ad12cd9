package org.nyala.sasl;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1StreamReader;
import com.unboundid.ldap.protocol.BindRequestProtocolOp;
import com.unboundid.ldap.protocol.BindResponseProtocolOp;
import com.unboundid.ldap.protocol.ExtendedRequestProtocolOp;
import com.unboundid.ldap.protocol.ExtendedResponseProtocolOp;
import com.unboundid.ldap.protocol.LDAPMessage;
import com.unboundid.ldap.sdk.extensions.WhoAmIExtendedRequest;
import java.io.ByteArrayInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Callable;
import javax.security.auth.Subject;
import org.ietf.jgss.GSSContext;
import org.ietf.jgss.GSSCredential;
import org.ietf.jgss.GSSManager;
import org.ietf.jgss.MessageProp;
import org.ietf.jgss.Oid;

/** A client of GSSAPI whose every byte a test determines. Confined to one thread. */
final class GssapiClient implements AutoCloseable {
  static final int AUTH = 1;
  static final int AUTH_INT = 2;
  static final int AUTH_CONF = 4;

  private static final int TIMEOUT_MILLIS = 20_000;
  private static final int BUFFER = 1 << 16;
  private static final int ACCEPTOR_SUBKEY = 4;

  private final Socket socket;
  private final DataInputStream in;
  private final OutputStream out;
  private final GSSContext context;
  private final List<byte[]> exchanged = new ArrayList<>();
  private int messageId;
  private int layer;

  private GssapiClient(Socket socket, GSSContext context) throws IOException {
    this.socket = socket;
    this.in = new DataInputStream(socket.getInputStream());
    this.out = socket.getOutputStream();
    this.context = context;
  }

  /** Connects, with tickets of a user. */
  static GssapiClient connect(int port, Subject user) throws Exception {
    return connect(port, user, true, true);
  }

  static GssapiClient connect(int port, Subject user, boolean isMutual, boolean isOrdered)
      throws Exception {
    Socket socket = new Socket(InetAddress.getLoopbackAddress(), port);
    socket.setSoTimeout(TIMEOUT_MILLIS);
    socket.setTcpNoDelay(true);
    return new GssapiClient(socket, context(user, isMutual, isOrdered));
  }

  private static GSSContext context(Subject user, boolean isMutual, boolean isOrdered)
      throws Exception {
    Callable<GSSContext> making =
        () -> {
          GSSManager manager = GSSManager.getInstance();
          Oid kerberos = new Oid("1.2.840.113554.1.2.2");
          GSSContext context =
              manager.createContext(
                  manager.createName(KerberosRealm.SERVICE, new Oid("1.2.840.113554.1.2.2.1")),
                  kerberos,
                  manager.createCredential(
                      null, GSSCredential.DEFAULT_LIFETIME, kerberos, GSSCredential.INITIATE_ONLY),
                  GSSContext.DEFAULT_LIFETIME);
          context.requestMutualAuth(isMutual);
          context.requestConf(true);
          context.requestInteg(true);
          context.requestSequenceDet(isOrdered);
          context.requestReplayDet(isOrdered);
          return context;
        };
    return Subject.callAs(user, making);
  }

  /** Returns the first token for a server, which may be sent to another one. */
  byte[] token(Subject user) {
    return Subject.callAs(user, () -> context.initSecContext(new byte[0], 0, 0));
  }

  /** Sends a message of the exchange, and returns its answer. */
  BindResponseProtocolOp step(byte[] message) throws Exception {
    write(bind(message));
    return answerToBind();
  }

  byte[] bind(byte[] message) {
    exchanged.add(message);
    return new LDAPMessage(
            ++messageId, new BindRequestProtocolOp("", "GSSAPI", new ASN1OctetString(message)))
        .encode()
        .encode();
  }

  /** Returns the messages of its exchanges, as somebody could record them. */
  List<byte[]> exchanged() {
    return exchanged;
  }

  BindResponseProtocolOp answerToBind() throws Exception {
    return Objects.requireNonNull(clear()).getBindResponseProtocolOp();
  }

  static byte[] challenge(BindResponseProtocolOp answer) {
    assertThat(answer.getResultCode()).as("%s", answer).isEqualTo(14);
    return answer.getServerSASLCredentials().getValue();
  }

  /** Goes on until the choice of a layer is all that is missing; returns what the server offers. */
  byte[] untilChoice(Subject user) throws Exception {
    byte[] answer = challenge(step(token(user)));
    if (!context.isEstablished()) {
      byte[] token = answer;
      Subject.callAs(user, () -> context.initSecContext(token, 0, token.length));
      answer = challenge(step(new byte[0]));
    }
    assertThat(context.isEstablished()).isTrue();
    // The key is one that the server has chosen for this exchange (RFC 4121, section 4.2.2).
    assertThat(answer[2] & ACCEPTOR_SUBKEY).isEqualTo(ACCEPTOR_SUBKEY);
    return context.unwrap(answer, 0, answer.length, new MessageProp(0, false));
  }

  /** Returns the last message of the exchange. */
  byte[] choice(int chosen, int bufferBytes, String authorizationId) throws Exception {
    byte[] name = authorizationId.getBytes(UTF_8);
    byte[] choice =
        ByteBuffer.allocate(4 + name.length).putInt(chosen << 24 | bufferBytes).put(name).array();
    return context.wrap(choice, 0, choice.length, new MessageProp(0, false));
  }

  /** Binds with a layer. */
  GssapiClient bound(Subject user, int chosen) throws Exception {
    byte[] _ = untilChoice(user);
    assertThat(step(choice(chosen, BUFFER, "")).getResultCode()).isZero();
    protect(chosen);
    return this;
  }

  byte[] anonymousBind() {
    return new LDAPMessage(++messageId, new BindRequestProtocolOp("", new byte[0]))
        .encode()
        .encode();
  }

  private BindResponseProtocolOp wrappedStep(byte[] message) throws Exception {
    write(wrap(bind(message)));
    return message(Objects.requireNonNull(unwrapped())).getBindResponseProtocolOp();
  }

  /** Binds anew without another layer, inside of the present one; returns what was offered. */
  int bindAgain(Subject user) throws Exception {
    GSSContext other = context(user, true, true);
    byte[] token = Subject.callAs(user, () -> other.initSecContext(new byte[0], 0, 0));
    byte[] answer = challenge(wrappedStep(token));
    Subject.callAs(user, () -> other.initSecContext(answer, 0, answer.length));
    byte[] offer = challenge(wrappedStep(new byte[0]));
    byte[] choice = {AUTH, 0, 0, 0};
    byte[] last = other.wrap(choice, 0, choice.length, new MessageProp(0, false));
    assertThat(wrappedStep(last).getResultCode()).isZero();
    return ByteBuffer.wrap(other.unwrap(offer, 0, offer.length, new MessageProp(0, false))).getInt()
        >> 24;
  }

  private static LDAPMessage message(byte[] bytes) throws Exception {
    return LDAPMessage.readFrom(new ASN1StreamReader(new ByteArrayInputStream(bytes)), true);
  }

  /** Wraps and unwraps from now on. */
  void protect(int chosen) {
    layer = chosen;
  }

  byte[] wrap(byte[] bytes) throws Exception {
    byte[] wrapped = context.wrap(bytes, 0, bytes.length, new MessageProp(0, layer == AUTH_CONF));
    return framed(wrapped.length, wrapped);
  }

  static byte[] framed(int length, byte[] wrapped) {
    return ByteBuffer.allocate(4 + wrapped.length).putInt(length).put(wrapped).array();
  }

  byte[] whoAmI() {
    return extended(WhoAmIExtendedRequest.WHO_AM_I_REQUEST_OID);
  }

  byte[] extended(String oid) {
    return new LDAPMessage(++messageId, new ExtendedRequestProtocolOp(oid, null)).encode().encode();
  }

  void write(byte[] bytes) throws IOException {
    out.write(bytes);
    out.flush();
  }

  /** Reads a message that is not wrapped; null at the end of the stream. */
  LDAPMessage clear() throws Exception {
    int tag = in.read();
    if (tag < 0) {
      return null;
    }
    int first = in.readUnsignedByte();
    byte[] size = new byte[first < 0x80 ? 0 : first & 0x7F];
    in.readFully(size);
    int length = size.length == 0 ? first : new BigInteger(1, size).intValueExact();
    byte[] content = new byte[length];
    in.readFully(content);
    return message(
        ByteBuffer.allocate(2 + size.length + length)
            .put((byte) tag)
            .put((byte) first)
            .put(size)
            .put(content)
            .array());
  }

  /** Reads a wrapped buffer of messages; null at the end of the stream. */
  byte[] unwrapped() throws Exception {
    int first = in.read();
    if (first < 0) {
      return null;
    }
    byte[] rest = new byte[3];
    in.readFully(rest);
    int length = ByteBuffer.allocate(4).put((byte) first).put(rest).getInt(0);
    assertThat(length).isBetween(1, BUFFER);
    byte[] wrapped = new byte[length];
    in.readFully(wrapped);
    MessageProp properties = new MessageProp(0, false);
    byte[] bytes = context.unwrap(wrapped, 0, length, properties);
    assertThat(properties.getPrivacy()).isEqualTo(layer == AUTH_CONF);
    assertThat(properties.isUnseqToken() || properties.isGapToken()).isFalse();
    return bytes;
  }

  /** Reads one wrapped message, which is that of its buffer. */
  ExtendedResponseProtocolOp answer() throws Exception {
    byte[] bytes = unwrapped();
    return bytes == null ? null : message(bytes).getExtendedResponseProtocolOp();
  }

  /** Returns the identity that the server takes this client for. */
  String identity() throws Exception {
    write(wrap(whoAmI()));
    return name(Objects.requireNonNull(answer()));
  }

  static String name(ExtendedResponseProtocolOp answer) {
    assertThat(answer.getResultCode()).as("%s", answer).isZero();
    return answer.getResponseValue() == null ? "" : answer.getResponseValue().stringValue();
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}

package org.nyala.attack;

import static org.assertj.core.api.Assertions.assertThat;
import static org.nyala.core.Patience.eventually;

import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.ldap.sdk.AsyncRequestID;
import com.unboundid.ldap.sdk.AsyncSearchResultListener;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPConnection;
import com.unboundid.ldap.sdk.LDAPConnectionOptions;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.ResultCode;
import com.unboundid.ldap.sdk.SearchRequest;
import com.unboundid.ldap.sdk.SearchResult;
import com.unboundid.ldap.sdk.SearchResultEntry;
import com.unboundid.ldap.sdk.SearchResultReference;
import com.unboundid.ldap.sdk.SearchScope;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestControl;
import com.unboundid.ldap.sdk.controls.ContentSyncRequestMode;
import com.unboundid.ldap.sdk.controls.ManageDsaITRequestControl;
import com.unboundid.ldap.sdk.controls.PersistentSearchChangeType;
import com.unboundid.ldap.sdk.controls.PersistentSearchRequestControl;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedRequest;
import com.unboundid.ldap.sdk.extensions.StartTransactionExtendedResult;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import javax.net.SocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.nyala.core.DirectoryServer;
import org.nyala.core.TestCertificates;
import org.nyala.core.ber.BerWriter;
import org.nyala.core.budget.OwnedSlots.Kind;
import org.nyala.netty.tls.TlsEncryption;
import org.nyala.process.LocalServer;
import org.nyala.server.RunningServer;

/**
 * Takes all places of every kind that clients can hold: whoever takes most makes way for others,
 * and for nobody's sake those who hold little.
 */
@EnabledOnOs(value = OS.LINUX, disabledReason = "needs several addresses of the loopback interface")
class SlotKindsTest {
  private static final String TOP = "dc=example,dc=com";
  private static final int HOARDER = 1;
  private static final int NEIGHBOUR = 2;
  private static final int NEWCOMER = 3;
  private static final int BUSY = 4;
  private static final int FEW = 6;
  private static final int HTTP = 256;
  private static final int PAGES = 200;

  private static final String NAMES =
      "\"%s\", \"%s\", \"%s\"".formatted(name(HOARDER), name(NEIGHBOUR), name(NEWCOMER));

  @TempDir Path folder;

  private final List<Place> places = new ArrayList<>();
  private @Nullable RunningServer started;

  /** A place that a client has taken, or asked for. */
  private interface Place {
    /** Returns whether it is the client's; asked once it has come to rest. */
    boolean isHeld();

    void leave() throws IOException;
  }

  @AfterEach
  void stop() throws IOException {
    for (Place place : places) {
      place.leave();
    }
    RunningServer server = server();
    eventually("every connection has ended", () -> server.served().wire().connectionCount() == 0);
    eventually("nothing is held", () -> server.served().directory().memory().held() == 0);
    assertThat(server.served().directory().metrics().internalErrors().sum()).isZero();
    server.close();
  }

  private RunningServer server() {
    if (started == null) {
      throw new IllegalStateException("not started");
    }
    return started;
  }

  /** Returns the number of places that the configuration allows. */
  private static int most(Kind kind) {
    return switch (kind) {
      case CONNECTIONS, FOLLOWERS, LOG_READERS, TRANSACTIONS, HASHES -> FEW;
      case ENCRYPTIONS -> (3 << 18) / TlsEncryption.ENGINE_BYTES;
      case HTTP_CONNECTIONS -> HTTP;
      case PAGES -> PAGES;
    };
  }

  private String configuration(Kind kind) throws Exception {
    return switch (kind) {
      case CONNECTIONS -> "limits.connections = " + FEW;
      case ENCRYPTIONS ->
          "limits.memory.mebibytes = 1, tls.certificate = \"%s\""
                  .formatted(
                      TestCertificates.make(folder, "localhost", "-keyalg EC -groupname secp256r1")
                          .pem(folder.resolve("server.pem")))
              + ", listeners = [\"ldap://127.0.0.1:0\", \"ldaps://127.0.0.1:0\"]";
      case FOLLOWERS -> "limits.persistentSearches = " + FEW;
      case LOG_READERS ->
          "limits.persistentSearches = %d, modificationLog { mebibytes = 16, readers = [%s] }"
              .formatted(FEW, NAMES);
      case TRANSACTIONS -> "limits.transactions = %d, access.writers = [%s]".formatted(FEW, NAMES);
      // One more is at work.
      case HASHES ->
          "limits { hashQueue = %d, hashQueueSeconds = 0 }, dispatch.hashThreads = 1, "
                  .formatted(FEW + 1)
              + "password.maximumCryptRounds = 999999999";
      case HTTP_CONNECTIONS, PAGES -> "management.http = \"127.0.0.1:0\"";
    };
  }

  private static String name(int owner) {
    return "uid=u" + owner + "," + TOP;
  }

  /** Takes a place on behalf of an owner: a client at an address, and with a name. */
  private Place take(Kind kind, int owner) throws Exception {
    Place place =
        switch (kind) {
          case CONNECTIONS -> connection(owner, false);
          case ENCRYPTIONS -> connection(owner, true);
          case FOLLOWERS -> {
            SearchRequest request = new SearchRequest(TOP, SearchScope.SUB, "(objectClass=*)");
            Collection<PersistentSearchChangeType> all =
                PersistentSearchChangeType.allChangeTypes();
            yield following(
                owner,
                request,
                new PersistentSearchRequestControl(
                    new java.util.HashSet<>(all), true, false, true));
          }
          case LOG_READERS ->
              following(
                  owner,
                  new SearchRequest(
                      "cn=accesslog",
                      SearchScope.SUB,
                      "(&(objectClass=auditWriteObject)(reqResult=0))"),
                  new ContentSyncRequestControl(
                      ContentSyncRequestMode.REFRESH_AND_PERSIST,
                      new ASN1OctetString("rid=001,csn=" + contextCsn()),
                      false));
          case TRANSACTIONS -> transaction(owner);
          case HASHES -> hash(owner);
          case HTTP_CONNECTIONS -> http(owner);
          case PAGES -> page(owner);
        };
    places.add(place);
    return place;
  }

  @ParameterizedTest
  @EnumSource
  void shouldMakeWayForThoseWhoHoldLess(Kind kind) throws Exception {
    RunningServer server =
        LocalServer.start(folder, "access.anonymousRead = true\n" + configuration(kind));
    started = server;
    fill(server);
    if (kind == Kind.HASHES) {
      try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
        root.add(
            "dn: " + name(BUSY),
            "objectClass: inetOrgPerson",
            "cn: u",
            "sn: u",
            "userPassword: {CRYPT}$6$rounds=999999999$saltsalt$" + "A".repeat(86));
      }
      places.add(hash(BUSY));
      eventually("the only thread for hashes is busy", SlotKindsTest::isHashing);
    }
    int most = most(kind);
    List<Place> hoarded = new ArrayList<>();
    for (int i = 1; i < most; i++) {
      hoarded.add(take(kind, HOARDER));
    }
    Place neighbour = take(kind, NEIGHBOUR);
    Place newcomer = take(kind, NEWCOMER);
    for (int i = 0; i < 3; i++) {
      hoarded.add(take(kind, HOARDER));
    }
    if (kind == Kind.HTTP_CONNECTIONS) {
      // A place is free when its request was answered.
      assertThat(neighbour.isHeld() && newcomer.isHeld()).as("of those with few").isTrue();
      assertThat(hoarded.getFirst().isHeld()).as("the oldest").isFalse();
      return;
    }
    if (kind == Kind.PAGES) {
      // A page is held as long as events come.
      assertThat(neighbour.isHeld() && newcomer.isHeld()).as("of those with few").isTrue();
      for (Place oldest : hoarded.subList(0, 4)) {
        assertThat(oldest.isHeld()).as("one of the oldest four").isFalse();
      }
      assertThat(hoarded.get(4).isHeld()).as("the next one").isTrue();
      eventually("all others are held", () -> server.livePage().feed().count() == PAGES);
      return;
    }
    // Each of them makes way for one.
    eventually(
        "four have made way", () -> server.served().directory().metrics().displaced().sum() == 4);
    if (kind == Kind.HASHES) {
      // The only thread is busy: none of them has had a turn.
      eventually("answered at once", () -> hoarded.stream().filter(Place::isHeld).count() == 4);
    }
    assertThat(neighbour.isHeld()).as("of the neighbour").isTrue();
    assertThat(newcomer.isHeld()).as("of the newcomer").isTrue();
    assertThat(hoarded.stream().filter(Place::isHeld).count())
        .as("of the one who took most")
        .isEqualTo(most - 2);
  }

  private static void fill(RunningServer server) throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server)) {
      root.add("dn: " + TOP, "objectClass: domain", "dc: example");
      for (int owner : List.of(HOARDER, NEIGHBOUR, NEWCOMER)) {
        root.add(
            "dn: " + name(owner),
            "objectClass: inetOrgPerson",
            "cn: u",
            "sn: u",
            "userPassword: secret");
      }
    }
    eventually("root has left", () -> server.served().wire().connectionCount() == 0);
  }

  private String contextCsn() throws Exception {
    try (LDAPConnection root = LocalServer.connectAsRoot(server())) {
      return root.getEntry(TOP, "contextCSN").getAttributeValue("contextCSN");
    }
  }

  /** Makes sockets at the address of an owner. */
  private static SocketFactory factory(int owner) {
    return new SocketFactory() {
      @Override
      public Socket createSocket() {
        throw new UnsupportedOperationException();
      }

      @Override
      public Socket createSocket(String host, int port) throws IOException {
        return createSocket(InetAddress.getByName(host), port);
      }

      @Override
      public Socket createSocket(String host, int port, InetAddress from, int own)
          throws IOException {
        return createSocket(host, port);
      }

      @Override
      public Socket createSocket(InetAddress host, int port) throws IOException {
        Socket socket = new Socket();
        socket.bind(new InetSocketAddress("127.0.0." + owner, 0));
        socket.connect(new InetSocketAddress(host, port));
        return socket;
      }

      @Override
      public Socket createSocket(InetAddress host, int port, InetAddress from, int own)
          throws IOException {
        return createSocket(host, port);
      }
    };
  }

  private LDAPConnection connect(int owner, LDAPConnectionOptions options) throws LDAPException {
    return new LDAPConnection(factory(owner), options, "127.0.0.1", LocalServer.port(server()));
  }

  private static boolean isServed(LDAPConnection client) {
    try {
      return client.getRootDSE() != null;
    } catch (LDAPException e) {
      return false;
    }
  }

  private Place connection(int owner, boolean isEncrypted) throws Exception {
    LDAPConnection client =
        isEncrypted ? encrypted(owner) : connect(owner, new LDAPConnectionOptions());
    assertThat(isServed(client)).as("connection of %d", owner).isTrue();
    return new Place() {
      @Override
      public boolean isHeld() {
        return isServed(client);
      }

      @Override
      public void leave() {
        client.close();
      }
    };
  }

  /** Trusts whatever it is shown. */
  private static final class Trusting implements X509TrustManager {
    @Override
    public void checkClientTrusted(java.security.cert.X509Certificate[] chain, String type) {}

    @Override
    public void checkServerTrusted(java.security.cert.X509Certificate[] chain, String type) {}

    @Override
    public java.security.cert.X509Certificate[] getAcceptedIssuers() {
      return new java.security.cert.X509Certificate[0];
    }
  }

  private LDAPConnection encrypted(int owner) throws Exception {
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, new TrustManager[] {new Trusting()}, null);
    int port = URI.create(server().listeners().get(1)).getPort();
    Socket plain = factory(owner).createSocket("127.0.0.1", port);
    Socket socket = context.getSocketFactory().createSocket(plain, "127.0.0.1", port, true);
    SocketFactory given =
        new SocketFactory() {
          @Override
          public Socket createSocket(String host, int to) {
            return socket;
          }

          @Override
          public Socket createSocket(String host, int to, InetAddress from, int own) {
            return socket;
          }

          @Override
          public Socket createSocket(InetAddress host, int to) {
            return socket;
          }

          @Override
          public Socket createSocket(InetAddress host, int to, InetAddress from, int own) {
            return socket;
          }
        };
    return new LDAPConnection(given, "127.0.0.1", port);
  }

  private Place following(int owner, SearchRequest request, com.unboundid.ldap.sdk.Control control)
      throws LDAPException {
    Following place = new Following(connect(owner, new LDAPConnectionOptions()));
    SearchRequest following =
        new SearchRequest(place, request.getBaseDN(), request.getScope(), request.getFilter());
    following.addControl(control);
    following.addControl(new ManageDsaITRequestControl(true));
    place.client.bind(name(owner), "secret");
    AsyncRequestID _ = place.client.asyncSearch(following);
    return place;
  }

  /** A search that follows changes. */
  @SuppressWarnings("serial")
  private static final class Following implements AsyncSearchResultListener, Place {
    final LDAPConnection client;
    private volatile @Nullable SearchResult end;

    Following(LDAPConnection client) {
      this.client = client;
    }

    @Override
    public void searchEntryReturned(SearchResultEntry entry) {}

    @Override
    public void searchReferenceReturned(SearchResultReference reference) {}

    @Override
    public void searchResultReceived(AsyncRequestID id, SearchResult result) {
      end = result;
    }

    @Override
    public boolean isHeld() {
      // The answer comes behind that of the search, if it has one.
      assertThat(isServed(client)).isTrue();
      SearchResult result = end;
      if (result != null) {
        assertThat(result.getResultCode()).isEqualTo(ResultCode.BUSY);
      }
      return result == null;
    }

    @Override
    public void leave() {
      client.close();
    }
  }

  private Place transaction(int owner) throws LDAPException {
    List<ExtendedResult> notices = new java.util.concurrent.CopyOnWriteArrayList<>();
    LDAPConnectionOptions options = new LDAPConnectionOptions();
    options.setUnsolicitedNotificationHandler((_, notice) -> notices.add(notice));
    LDAPConnection client = connect(owner, options);
    client.bind(name(owner), "secret");
    StartTransactionExtendedResult begun =
        (StartTransactionExtendedResult)
            client.processExtendedOperation(new StartTransactionExtendedRequest());
    assertThat(begun.getResultCode()).isEqualTo(ResultCode.SUCCESS);
    return new Place() {
      @Override
      public boolean isHeld() {
        assertThat(isServed(client)).isTrue();
        assertThat(notices).allMatch(notice -> notice.getOID().equals("1.3.6.1.1.21.4"));
        return notices.isEmpty();
      }

      @Override
      public void leave() {
        client.close();
      }
    };
  }

  /** Returns whether a thread computes a hash of SHA-crypt. */
  static boolean isHashing() {
    return Thread.getAllStackTraces().values().stream()
        .flatMap(Arrays::stream)
        .anyMatch(frame -> frame.getClassName().endsWith(".ShaCrypt"));
  }

  /** Sends a bind whose password takes minutes to be hashed, and sees it queued. */
  private Place hash(int owner) throws IOException {
    DirectoryServer directory = server().served().directory();
    long before = directory.inFlight() + directory.metrics().displaced().sum();
    Socket socket = factory(owner).createSocket("127.0.0.1", LocalServer.port(server()));
    BerWriter bind = new BerWriter().integer(3).text(name(BUSY)).text(0x80, "wrong");
    BerWriter message = new BerWriter().integer(1).constructed(0x60, bind);
    socket.getOutputStream().write(new BerWriter().sequence(message).toByteArray());
    eventually(
        "it waits",
        () -> directory.inFlight() + directory.metrics().displaced().sum() == before + 1);
    return new Place() {
      private int code = -1;

      @Override
      public boolean isHeld() {
        try {
          InputStream in = socket.getInputStream();
          if (code == -1 && in.available() > 0) {
            // The header of a short message, its id, the header of the answer, and the code.
            code = in.readNBytes(10)[9];
          }
        } catch (IOException e) {
          throw new UncheckedIOException(e);
        }
        assertThat(code).isIn(-1, ResultCode.BUSY_INT_VALUE);
        return code == -1;
      }

      @Override
      public void leave() throws IOException {
        socket.close();
      }
    };
  }

  private Place http(int owner) throws IOException {
    InetSocketAddress to = server().httpAddress().orElseThrow();
    Socket socket = factory(owner).createSocket(to.getAddress(), to.getPort());
    return new Place() {
      @Override
      public boolean isHeld() {
        try {
          socket
              .getOutputStream()
              .write("GET /live HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
          return socket.getInputStream().read() == 'H';
        } catch (IOException e) {
          return false;
        }
      }

      @Override
      public void leave() throws IOException {
        socket.close();
      }
    };
  }

  private Place page(int owner) throws IOException {
    InetSocketAddress to = server().httpAddress().orElseThrow();
    Socket socket = factory(owner).createSocket(to.getAddress(), to.getPort());
    socket
        .getOutputStream()
        .write(
            "GET /page/events HTTP/1.1\r\nHost: localhost\r\n\r\n"
                .getBytes(StandardCharsets.US_ASCII));
    InputStream in = socket.getInputStream();
    assertThat(new String(in.readNBytes(12), StandardCharsets.US_ASCII)).isEqualTo("HTTP/1.1 200");
    return new Place() {
      @Override
      public boolean isHeld() {
        try {
          // The bytes that have come, and that come within some seconds.
          byte[] known = in.readNBytes(Math.max(1, in.available()));
          return known.length > 0 && in.read() >= 0;
        } catch (IOException e) {
          return false;
        }
      }

      @Override
      public void leave() throws IOException {
        socket.close();
      }
    };
  }
}

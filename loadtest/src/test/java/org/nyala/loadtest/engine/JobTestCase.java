package org.nyala.loadtest.engine;

import com.unboundid.asn1.ASN1Element;
import com.unboundid.asn1.ASN1Exception;
import com.unboundid.asn1.ASN1Long;
import com.unboundid.asn1.ASN1OctetString;
import com.unboundid.asn1.ASN1Sequence;
import com.unboundid.ldap.listener.InMemoryDirectoryServer;
import com.unboundid.ldap.listener.InMemoryDirectoryServerConfig;
import com.unboundid.ldap.listener.InMemoryExtendedOperationHandler;
import com.unboundid.ldap.listener.InMemoryListenerConfig;
import com.unboundid.ldap.listener.InMemoryRequestHandler;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedAddRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedAddResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedDeleteResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyDNResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedModifyResult;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchRequest;
import com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSimpleBindResult;
import com.unboundid.ldap.listener.interceptor.InMemoryOperationInterceptor;
import com.unboundid.ldap.sdk.ExtendedRequest;
import com.unboundid.ldap.sdk.ExtendedResult;
import com.unboundid.ldap.sdk.LDAPException;
import com.unboundid.ldap.sdk.Modification;
import com.unboundid.ldap.sdk.ModificationType;
import com.unboundid.ldap.sdk.ModifyRequest;
import com.unboundid.ldap.sdk.ResultCode;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.nyala.loadtest.workload.Account;
import org.nyala.loadtest.workload.JobKind;
import org.nyala.loadtest.workload.JobOptions;
import org.nyala.loadtest.workload.LoadRate;
import org.nyala.loadtest.workload.LoadSettings;
import org.nyala.loadtest.workload.People;
import org.nyala.loadtest.workload.Security;
import org.nyala.loadtest.workload.TestDuration;

/** A server with people that counts what it is asked, for tests of jobs. */
public abstract class JobTestCase {
  public static final int USERS = 120;
  static final int ENTRIES = USERS + 2;
  static final int CLIENTS = 3;
  static final int OPERATIONS = 40;

  /** So that walking all entries takes {@link #PAGES}, the last one of two entries. */
  public static final int PAGE = 30;

  static final int PAGES = 5;

  public final AtomicInteger searches = new AtomicInteger();
  final AtomicInteger binds = new AtomicInteger();
  final AtomicInteger refreshed = new AtomicInteger();
  private final Map<JobKind, AtomicInteger> writes = new EnumMap<>(JobKind.class);
  volatile boolean isForgetful;
  volatile boolean refusesWrites;
  public volatile int searchesUntilRefusal = Integer.MAX_VALUE;

  /**
   * The gate at which searches wait after the first one of each connection; open at the beginning.
   */
  volatile CountDownLatch barrier = new CountDownLatch(0);

  /** The connections over which a search has come. */
  final Set<Long> searching = ConcurrentHashMap.newKeySet();

  /** The time to live in answers to Refresh requests; negative: no answer. */
  volatile long grantedSeconds = 86_400;

  public InMemoryDirectoryServer server;

  @BeforeEach
  final void startServer() throws Exception {
    InMemoryDirectoryServerConfig config = new InMemoryDirectoryServerConfig("dc=example,dc=com");
    config.addAdditionalBindCredentials("cn=service", "secret");
    config.setSchema(null);
    for (JobKind job : JobKind.values()) {
      writes.put(job, new AtomicInteger());
    }
    config.setListenerConfigs(
        InMemoryListenerConfig.createLDAPConfig("test", InetAddress.getLoopbackAddress(), 0, null));
    config.addInMemoryOperationInterceptor(new Counting());
    config.addExtendedOperationHandler(new Refreshing());
    server = new InMemoryDirectoryServer(config);
    server.add("dn: dc=example,dc=com", "objectClass: domain", "dc: example");
    server.add("dn: ou=People,dc=example,dc=com", "objectClass: organizationalUnit", "ou: People");
    for (int user = 0; user < USERS; user++) {
      addPerson(user, "user." + user);
    }
    server.startListening();
  }

  final void addPerson(int user, String uid) throws Exception {
    addPerson(Integer.toString(user), uid);
  }

  /** A person whose number is written like this. */
  final void addPerson(String number) throws Exception {
    addPerson(number, "user." + number);
  }

  private void addPerson(String number, String uid) throws Exception {
    server.add(
        "dn: uid=user." + number + ",ou=People,dc=example,dc=com",
        "objectClass: inetOrgPerson",
        "uid: " + uid,
        "cn: Person " + number,
        "sn: Person",
        "description: " + "x".repeat(300),
        "userPassword: password." + number);
  }

  @AfterEach
  final void stopServer() {
    server.close();
  }

  /** Counts what really arrives. */
  private final class Counting extends InMemoryOperationInterceptor {
    @Override
    public void processSearchResult(
        com.unboundid.ldap.listener.interceptor.InMemoryInterceptedSearchResult result) {
      searches.incrementAndGet();
    }

    @Override
    public void processSearchRequest(InMemoryInterceptedSearchRequest request)
        throws LDAPException {
      searching.add(request.getConnectionID());
      if (searching.size() >= CLIENTS) {
        awaitBarrier();
      }
      if (searches.get() >= searchesUntilRefusal) {
        searches.incrementAndGet();
        throw new LDAPException(ResultCode.BUSY, "enough");
      }
    }

    private void awaitBarrier() {
      try {
        barrier.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    @Override
    public void processModifyRequest(InMemoryInterceptedModifyRequest request)
        throws LDAPException {
      refuse();
      if (isForgetful) {
        request.setRequest(
            new ModifyRequest(
                request.getRequest().getDN(),
                new Modification(ModificationType.REPLACE, "title", "forgotten")));
      }
    }

    @Override
    public void processAddRequest(InMemoryInterceptedAddRequest request) throws LDAPException {
      refuse();
    }

    private void refuse() throws LDAPException {
      if (refusesWrites) {
        throw new LDAPException(ResultCode.UNWILLING_TO_PERFORM, "read-only");
      }
    }

    @Override
    public void processModifyResult(InMemoryInterceptedModifyResult result) {
      count(JobKind.MODIFY);
    }

    @Override
    public void processAddResult(InMemoryInterceptedAddResult result) {
      count(JobKind.ADD_DELETE);
    }

    @Override
    public void processDeleteResult(InMemoryInterceptedDeleteResult result) {
      count(JobKind.ADD_DELETE);
    }

    @Override
    public void processModifyDNResult(InMemoryInterceptedModifyDNResult result) {
      count(JobKind.RENAME);
    }

    @Override
    public void processSimpleBindResult(InMemoryInterceptedSimpleBindResult result) {
      binds.incrementAndGet();
    }
  }

  /** Counts what asks that dynamic entries may live on. */
  private final class Refreshing extends InMemoryExtendedOperationHandler {
    @Override
    public String getExtendedOperationHandlerName() {
      return "refresh";
    }

    @Override
    public List<String> getSupportedExtendedRequestOIDs() {
      return List.of("1.3.6.1.4.1.1466.101.119.1");
    }

    @Override
    public ExtendedResult processExtendedOperation(
        InMemoryRequestHandler handler, int messageId, ExtendedRequest request) {
      try {
        ASN1Element[] value =
            ASN1Sequence.decodeAsSequence(request.getValue().getValue()).elements();
        String dn = value[0].decodeAsOctetString().stringValue();
        boolean isRight = server.getEntry(dn) != null && value[1].decodeAsInteger().intValue() > 0;
        refreshed.incrementAndGet();
        return result(messageId, isRight ? ResultCode.SUCCESS : ResultCode.NO_SUCH_OBJECT);
      } catch (ASN1Exception | LDAPException e) {
        return result(messageId, ResultCode.PROTOCOL_ERROR);
      }
    }

    private ExtendedResult result(int messageId, ResultCode code) {
      ASN1OctetString value =
          new ASN1OctetString(new ASN1Sequence(new ASN1Long((byte) 0x81, grantedSeconds)).encode());
      return new ExtendedResult(
          messageId, code, null, null, null, null, grantedSeconds < 0 ? null : value, null);
    }
  }

  private void count(JobKind job) {
    Objects.requireNonNull(writes.get(job)).incrementAndGet();
  }

  /** The number of answered writes of a kind. */
  public final int writes(JobKind job) {
    return Objects.requireNonNull(writes.get(job)).get();
  }

  final LoadSettings settings(JobKind job, long operations, int users, String bindDn) {
    return settings(
        job,
        operations,
        users,
        bindDn,
        new JobOptions("description", "uid:caseIgnoreOrderingMatch", PAGE, 20),
        LoadRate.CLOSED);
  }

  public final LoadSettings settings(
      JobKind job, long operations, int users, String bindDn, JobOptions options, LoadRate pace) {
    return new LoadSettings(
        job,
        new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getListenPort()),
        CLIENTS,
        2,
        new TestDuration(60, 0, operations),
        People.of(users),
        new Account(bindDn, "secret"),
        ProcessHandle.current().pid(),
        options,
        Security.NONE,
        pace);
  }
}

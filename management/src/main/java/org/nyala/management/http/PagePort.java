package org.nyala.management.http;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.nyala.core.budget.OwnedSlots;
import org.nyala.management.http.HttpAccess.PageAccess;
import org.nyala.management.page.ActionAnswer;
import org.nyala.management.page.LivePage;
import org.nyala.management.page.PageFeed;

/**
 * The live page at the HTTP port: its files, data, events and actions, and who may have them.
 *
 * <p>Thread-safe.
 */
final class PagePort {
  /** The most pages that are open; the rest of the connections is left for probes and scrapes. */
  static final int PAGES = 200;

  private static final String ROOT = "/";
  private static final String FOLDER = "/page/";
  private static final String JSON = "application/json";
  private static final String EVENTS = FOLDER + "events";

  /** Browsers load nothing from elsewhere, show the page in no frame, and tell nobody of it. */
  private static final Map<String, String> HEADERS =
      Map.of(
          "Content-Security-Policy",
          "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src"
              + " 'self' data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
          "X-Content-Type-Options",
          "nosniff",
          "Referrer-Policy",
          "no-referrer",
          "Cross-Origin-Opener-Policy",
          "same-origin",
          "Cross-Origin-Resource-Policy",
          "same-origin");

  private static final Map<String, String> STREAM =
      Map.of("Content-Type", "text/event-stream; charset=utf-8", "X-Accel-Buffering", "no");

  private final HttpLogin login;
  private final PageFiles files = PageFiles.read();
  private final OwnedSlots pages = new OwnedSlots(OwnedSlots.Kind.PAGES, () -> PAGES);

  /** Creates the page of a port. */
  PagePort(HttpLogin login) {
    this.login = login;
  }

  /** The events of a page, and its place. Confined to the thread of its connection. */
  private record Events(OwnedSlots.Slot slot, PageFeed.Reader reader) implements HttpStream.Source {
    @Override
    public byte @Nullable [] next() throws InterruptedException {
      return reader.next();
    }

    @Override
    public void close() {
      reader.close();
      slot.giveBack();
    }
  }

  /** Returns whether a request is one for the page. */
  boolean isAsked(HttpRequest request) {
    return login.access().page() != PageAccess.OFF
        && (request.path().equals(ROOT) || request.path().startsWith(FOLDER));
  }

  /**
   * Answers a request.
   *
   * @param address the address of the client
   * @param page null while the server starts
   */
  HttpReply answer(
      HttpRequest request, ClientNetwork client, String address, @Nullable LivePage page) {
    HttpReply reply =
        request.path().startsWith(HttpRequest.ACTIONS)
            ? act(request, client, address, page)
            : read(request, client, address, page);
    return switch (reply) {
      case HttpAnswer answer -> answer.with(HEADERS);
      case HttpStream stream -> stream;
    };
  }

  private HttpReply read(
      HttpRequest request, ClientNetwork client, String address, @Nullable LivePage page) {
    // A link of another site may lead to the page itself, which does nothing by that.
    String foreign = request.path().equals(ROOT) ? null : PageGate.foreign(request);
    if (foreign != null) {
      return HttpAnswer.text(HttpAnswer.FORBIDDEN, foreign);
    }
    HttpAnswer refusal = refusal(request, client, address);
    if (refusal != null) {
      return refusal;
    }
    HttpAnswer file = files.get(request.path());
    if (file != null) {
      return file;
    }
    if (page == null || page.isOver()) {
      return HttpAnswer.text(
          HttpAnswer.UNAVAILABLE,
          page == null ? "the server is starting" : "the server is stopping");
    }
    return switch (request.path()) {
      case FOLDER + "data" -> HttpAnswer.json(HttpAnswer.OK, page.look().json());
      case FOLDER + "history" -> HttpAnswer.json(HttpAnswer.OK, page.history());
      case EVENTS -> events(request, client, page);
      default -> HttpAnswer.text(HttpAnswer.NOT_FOUND, "the live page is at /");
    };
  }

  private @Nullable HttpAnswer refusal(HttpRequest request, ClientNetwork client, String address) {
    if (login.access().page() == PageAccess.LOOPBACK
        && PageGate.isOfThisMachine(request, address)) {
      return null;
    }
    List<HttpAccount> readers = login.readers();
    return readers.isEmpty()
        ? HttpAnswer.text(
            HttpAnswer.FORBIDDEN,
            "the live page is shown on the machine of the server only, by localhost: for others set"
                + " management.httpMonitor or management.httpAdmin")
        : login.refusal(readers, request, client, address);
  }

  private HttpReply events(HttpRequest request, ClientNetwork client, LivePage page) {
    if (!request.method().equals("GET")) {
      return new HttpAnswer(HttpAnswer.OK, STREAM, "");
    }
    Map<String, String> headers = new LinkedHashMap<>(HEADERS);
    headers.putAll(STREAM);
    return new HttpStream(headers, holder -> open(client, page, holder));
  }

  private @Nullable Events open(ClientNetwork client, LivePage page, OwnedSlots.Tenant holder) {
    OwnedSlots.Slot slot = pages.take(client, holder);
    if (slot == null) {
      return null;
    }
    boolean isOpen = false;
    try {
      Events events = new Events(slot, page.feed().open());
      isOpen = true;
      return events;
    } finally {
      if (!isOpen) {
        slot.giveBack();
      }
    }
  }

  private HttpAnswer act(
      HttpRequest request, ClientNetwork client, String address, @Nullable LivePage page) {
    if (!request.isAction()) {
      return refused(HttpAnswer.METHOD_NOT_ALLOWED, "an action is a POST").with("Allow", "POST");
    }
    String foreign = PageGate.foreign(request);
    if (foreign != null || !request.header(PageGate.MARK).orElse("").equals("1")) {
      return refused(
          HttpAnswer.FORBIDDEN,
          foreign == null ? "an action has the header " + PageGate.MARK + ": 1" : foreign);
    }
    if (!isJson(request.header("Content-Type").orElse(""))) {
      return refused(HttpAnswer.UNSUPPORTED_TYPE, "an action is application/json");
    }
    Optional<HttpAccount> admin = login.access().admin();
    if (admin.isEmpty()) {
      return refused(HttpAnswer.FORBIDDEN, withoutAdmin());
    }
    HttpAnswer refusal = login.refusal(List.of(admin.get()), request, client, address);
    if (refusal != null) {
      return withoutDialog(refusal);
    }
    if (page == null || page.isOver()) {
      return refused(HttpAnswer.UNAVAILABLE, "the server is starting or stopping");
    }
    String name = request.path().substring(HttpRequest.ACTIONS.length());
    ActionAnswer answer = page.actions().act(name, request.body(), admin.get().user(), address);
    return HttpAnswer.json(status(answer.outcome()), answer.json());
  }

  /** Returns the sentence about actions where no account may do any. */
  static String withoutAdmin() {
    return "no account may act by this page: set management.httpAdmin { user, passwordFile } and"
        + " restart the server";
  }

  private static boolean isJson(String type) {
    int parameters = type.indexOf(';');
    String media = parameters < 0 ? type : type.substring(0, parameters);
    return media.strip().equalsIgnoreCase(JSON);
  }

  private static HttpAnswer refused(String status, String sentence) {
    return HttpAnswer.json(status, ActionAnswer.refusal(sentence));
  }

  /** Returns a refusal for which no browser asks for a password by itself, or remembers one. */
  private static HttpAnswer withoutDialog(HttpAnswer refusal) {
    HttpAnswer answer = refused(refusal.status(), refusal.body().strip());
    String after = refusal.headers().get("Retry-After");
    return after == null ? answer : answer.with("Retry-After", after);
  }

  private static String status(ActionAnswer.Outcome outcome) {
    return switch (outcome) {
      case DONE -> HttpAnswer.OK;
      case UNKNOWN -> HttpAnswer.NOT_FOUND;
      case WRONG -> HttpAnswer.BAD_REQUEST;
      case REFUSED -> HttpAnswer.CONFLICT;
      case BUSY -> HttpAnswer.TOO_MANY;
      case ENDING -> HttpAnswer.UNAVAILABLE;
    };
  }
}

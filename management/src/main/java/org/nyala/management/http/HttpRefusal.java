package org.nyala.management.http;

/** A request that is refused before it is looked at further, with the answer to it. */
final class HttpRefusal extends Exception {
  private static final long serialVersionUID = 1;

  private final transient HttpAnswer answer;

  HttpRefusal(String status, String message) {
    super(message);
    this.answer = HttpAnswer.text(status, message);
  }

  HttpAnswer answer() {
    return answer;
  }
}

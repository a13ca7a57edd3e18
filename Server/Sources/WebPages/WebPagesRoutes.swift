package import HTTPSupport
import HTTPTypes
import PageSupport

extension WebPages {
    /// Every address of the hosted pages.
    package var routes: [Route] {
        [assets.route]
            + page("log-in", get: ShowLogIn(), post: SendLogIn())
            + page("sign-up", get: ShowSignUp(), post: SendSignUp())
            + [Route(.get, "/a/{application}/theme/{picture}", ThemePictureRoute(pages: self))]
    }

    /// A page and its form.
    private func page(_ name: String, get: any HostedPage, post: (any HostedPage)? = nil) -> [Route] {
        let path = "/a/{application}/\(name)"
        return [Route(.get, path, HostedRoute(pages: self, page: get))]
            + (post.map { [Route(.post, path, HostedRoute(pages: self, page: $0))] } ?? [])
    }
}
